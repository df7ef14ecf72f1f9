// `node make-secrets.ts <folder>`: creates the missing secrets of a composition in one folder for each service, so that
// a container sees only its own secrets. Existing secrets are not changed.
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2]
if (folder === undefined) {
  process.stderr.write('usage: node make-secrets.ts <folder>\n')
  process.exit(2)
}

// Writes each file atomically, and the copies last. So the next run completes an interrupted run.
const databasePassword = secret('relay/database-password', () => randomBytes(24).toString('hex'))
const enrolmentToken = secret('relay/enrolment-token', () => randomBytes(32).toString('base64url'))
secret('relay/server-secret', () => randomBytes(32).toString('base64'))
secret('relay/admin-password', () => randomBytes(12).toString('base64url'))
secret('relay/database-url', () => `postgresql://smsgw:${databasePassword}@postgres:5432/smsgw`)
secret('postgres/password', () => databasePassword)
secret('agent/enrolment-token', () => enrolmentToken)

function secret(name: string, make: () => string): string {
  const file = join(String(folder), name)
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  const value = make()
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o750 })
  // The group may read the file, because PostgreSQL runs as another user of this group.
  const descriptor = openSync(`${file}.new`, 'w', 0o440)
  writeSync(descriptor, `${value}\n`)
  fsyncSync(descriptor)
  closeSync(descriptor)
  renameSync(`${file}.new`, file)
  process.stdout.write(`made ${name}\n`)
  return value
}
