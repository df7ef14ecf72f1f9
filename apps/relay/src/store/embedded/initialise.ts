import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { childEnvironment } from '@smsgw/daemon/child-environment'
import { StartError } from '@smsgw/daemon/start-error'
import type { Binaries } from './binaries.ts'
import { handOver, type OrdinaryUser } from './ordinary-user.ts'

export const SUPERUSER = 'smsgw'

/** Creates the data folder when it does not exist. An interrupted attempt leaves no folder that looks complete. */
export function initialise(folder: string, binaries: Binaries, user: OrdinaryUser, durable: boolean): void {
  const version = versionOf(folder)
  if (version === binaries.majorVersion) {
    handOver(folder, user)
    chmodSync(folder, 0o700) // required by PostgreSQL; a restored copy may have other permissions
    return
  }
  if (version !== undefined)
    throw new StartError(
      `the database in ${folder} was made by PostgreSQL ${version}, and PostgreSQL ${binaries.majorVersion} cannot read it: ` +
        'make a backup with the release that made it, and restore that into a new folder (docs/backup.md)',
    )
  const unfinished = `${folder}.unfinished`
  writable(folder, () => {
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { recursive: true, mode: 0o700 })
    handOver(unfinished, user)
  })
  const [file = '', ...args] = [
    ...user.prefix,
    binaries.initdb,
    `--pgdata=${unfinished}`,
    `--username=${SUPERUSER}`,
    // There is no port, and the socket is in the data folder, which only its owner may enter.
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
    '--no-locale',
    ...(durable ? [] : ['--no-sync']),
  ]
  const { status, error, stderr } = spawnSync(file, args, { encoding: 'utf8', env: childEnvironment() })
  if (status !== 0)
    throw new StartError(
      `the database could not be created in ${folder}: ${error?.message ?? lastLine(stderr)}. Fix that, or set DATABASE_URL`,
    )
  writable(folder, () => renameSync(unfinished, folder))
}

function versionOf(folder: string): string | undefined {
  const file = join(folder, 'PG_VERSION')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

function writable(folder: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    throw new StartError(
      `the database cannot be created in ${folder}: ${error instanceof Error ? error.message : error}. ` +
        'Set DATA_DIR to a writable folder on a disk with 200 MB free',
      { cause: error },
    )
  }
}

/** The last line of initdb is its cleanup; the line before is the error. */
function lastLine(stderr: string): string {
  const lines = stderr.trim().split('\n')
  const failure = lines.findLast((line) => /error|fatal|panic|could not/i.test(line)) ?? lines.at(-1) ?? ''
  return failure.replace(/^.*?(?:error|FATAL|PANIC):\s*/, '')
}
