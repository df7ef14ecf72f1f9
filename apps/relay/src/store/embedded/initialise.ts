import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { childEnvironment } from '@smsgw/daemon/child-environment'
import { describeDiskOf } from '@smsgw/daemon/files/disk-space'
import { StartError } from '@smsgw/daemon/start-error'
import type { Binaries } from './binaries.ts'
import { handOver, type OrdinaryUser } from './ordinary-user.ts'

export const SUPERUSER = 'smsgw'

export interface InitialiseOptions {
  readonly binaries: Binaries
  readonly user: OrdinaryUser
  /** The command prefix that stops a child process when this process ends. */
  readonly dieWithUs: readonly string[]
  readonly durable: boolean
}

/** Creates the data folder when it does not exist. An interrupted attempt leaves no folder that looks complete. */
export async function initialise(
  folder: string,
  { binaries, user, dieWithUs, durable }: InitialiseOptions,
): Promise<void> {
  const version = versionOf(folder)
  if (version === binaries.majorVersion) {
    handOver(folder, user)
    chmodSync(folder, 0o700) // PostgreSQL requires these permissions, but a restored copy may have other permissions
    return
  }
  if (version !== undefined)
    throw new StartError(
      `the database in ${folder} was created by PostgreSQL ${version}, and PostgreSQL ${binaries.majorVersion} cannot read it: ` +
        'make a backup with the release that created the database, and restore the backup into a new folder (docs/backup.md)',
    )
  const unfinished = `${folder}.unfinished`
  writable(folder, () => {
    // A database process of an attempt that was killed a moment ago may still be writing into the folder.
    rmSync(unfinished, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    mkdirSync(unfinished, { recursive: true, mode: 0o700 })
    handOver(unfinished, user)
  })
  const args = [
    `--pgdata=${unfinished}`,
    `--username=${SUPERUSER}`,
    // Passwords are not needed, because there is no port, and only the owner may enter the folder of the socket.
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
    '--no-locale',
    ...(durable ? [] : ['--no-sync']),
  ]
  const problem = await run([...user.prefix, ...dieWithUs], binaries.initdb, args)
  if (problem !== undefined)
    throw new StartError(
      `the database could not be created in ${folder}: ${problem}. ${diskAdvice(problem, folder) ?? 'Fix the problem, or set DATABASE_URL'}`,
    )
  writable(folder, () => renameSync(unfinished, folder))
}

/**
 * Runs a program in its own process group, so that Ctrl-C stops only the relay. Returns why it failed, or undefined.
 */
function run(prefix: readonly string[], program: string, args: readonly string[]): Promise<string | undefined> {
  const [file = '', ...all] = [...prefix, program, ...args]
  const child = spawn(file, all, { detached: true, stdio: ['ignore', 'ignore', 'pipe'], env: childEnvironment() })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve(message))
    child.once('close', (code) => resolve(code === 0 ? undefined : causeIn(errors)))
  })
}

function versionOf(folder: string): string | undefined {
  const file = join(folder, 'PG_VERSION')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

function writable(folder: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    const advice = diskAdvice(problem, folder) ?? 'Set DATA_DIR to a writable folder on a disk with 200 MB free'
    throw new StartError(`the database cannot be created in ${folder}: ${problem}. ${advice}`, { cause: error })
  }
}

/** Returns what to do if the disk is full. `initdb` and Node report a full disk only in their text. */
function diskAdvice(problem: string, folder: string): string | undefined {
  // PostgreSQL reports the same error if shared memory or semaphores are used up.
  if (!DISK_FULL.test(problem) || /shared memory|semaphore/i.test(problem)) return undefined
  return `Disk full: ${describeDiskOf(dirname(folder))}, and the database needs 200 MB. Free disk space, then start again`
}

const DISK_FULL = /no space left on device|ENOSPC/i

/**
 * Returns the error message of `initdb`. The last line of its output is left out, because it is only about the cleanup.
 * On a full disk, more errors can follow the one that names the cause.
 */
function causeIn(stderr: string): string {
  const lines = stderr.trim().split('\n')
  const failure =
    lines.find((line) => DISK_FULL.test(line)) ??
    lines.findLast((line) => /error|fatal|panic|could not/i.test(line)) ??
    lines.at(-1) ??
    ''
  return failure.replace(/^.*?(?:error|FATAL|PANIC):\s*/, '')
}
