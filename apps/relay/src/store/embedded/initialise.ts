import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '@smsgw/daemon/start-error'
import type { Binaries } from './binaries.ts'
import { handOver, type OrdinaryUser } from './ordinary-user.ts'

export const SUPERUSER = 'smsgw'

/** Makes the data folder when it is not there; what was cut short before leaves nothing that looks like one. */
export function initialise(folder: string, binaries: Binaries, user: OrdinaryUser, durable: boolean): void {
  const version = versionOf(folder)
  if (version === binaries.majorVersion) {
    handOver(folder, user)
    chmodSync(folder, 0o700) // a copy that was put back may have lost it, and PostgreSQL insists
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
    // No port is ever listened on; the socket lies in the data folder, which only its owner may enter.
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
    '--no-locale',
    ...(durable ? [] : ['--no-sync']),
  ]
  const { status, error, stderr } = spawnSync(file, args, { encoding: 'utf8' })
  if (status !== 0)
    throw new StartError(
      `the database could not be made in ${folder}: ${error?.message ?? lastLine(stderr)}. Mend that, or set DATABASE_URL`,
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
      `the database cannot be made in ${folder}: ${error instanceof Error ? error.message : error}. ` +
        'Set DATA_DIR to a folder that can be written, on a disk with 200 MB free',
      { cause: error },
    )
  }
}

/** initdb ends with what it did about the failure; the failure is the line before. */
function lastLine(stderr: string): string {
  const lines = stderr.trim().split('\n')
  const failure = lines.findLast((line) => /error|fatal|panic|could not/i.test(line)) ?? lines.at(-1) ?? ''
  return failure.replace(/^.*?(?:error|FATAL|PANIC):\s*/, '')
}
