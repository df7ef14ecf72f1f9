// `node make-secrets.ts <folder>`: the secrets of a composition, made where they are missing, one folder for each service:
// what is known to one container is not known to the others. What is there stays as it is.
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2]
if (folder === undefined) {
  process.stderr.write('usage: node make-secrets.ts <folder>\n')
  process.exit(2)
}

// Each file is written whole or not at all, and the copies come last: a run that is cut short is gone on with.
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
  // The group reads too: PostgreSQL runs as a user of its own, in the group of ours.
  const descriptor = openSync(`${file}.new`, 'w', 0o440)
  writeSync(descriptor, `${value}\n`)
  fsyncSync(descriptor)
  closeSync(descriptor)
  renameSync(`${file}.new`, file)
  process.stdout.write(`made ${name}\n`)
  return value
}
