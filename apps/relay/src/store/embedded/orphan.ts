import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { childEnvironment } from '@smsgw/daemon/child-environment'
import { StartError } from '@smsgw/daemon/start-error'

const FAST_MS = 10_000
const IMMEDIATE_MS = 10_000

/**
 * Stops a server that a killed process left running on this folder. The caller has locked the folder, so the process
 * that started the server has ended, and the server is usually already shutting down.
 */
export async function endOrphan(folder: string): Promise<void> {
  const file = join(folder, 'postmaster.pid')
  const pid = pidIn(file)
  if (pid === undefined) return
  if (isServerOf(pid, folder)) {
    process.kill(pid, 'SIGINT')
    if (!(await ends(pid, folder, FAST_MS))) process.kill(pid, 'SIGQUIT')
    if (!(await ends(pid, folder, IMMEDIATE_MS)))
      throw new StartError(
        `PostgreSQL process ${pid} still uses ${folder} and does not stop: kill it, then start again`,
      )
  }
  // Deletes the file. Otherwise, PostgreSQL would not start if another program now has this process id, for example
  // after a power failure or in a new container.
  rmSync(file, { force: true })
}

function pidIn(file: string): number | undefined {
  if (!existsSync(file)) return undefined
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
  return pid > 0 ? pid : undefined
}

async function ends(pid: number, folder: string, withinMs: number): Promise<boolean> {
  for (const giveUpAt = performance.now() + withinMs; performance.now() < giveUpAt; await sleep(10))
    if (!isServerOf(pid, folder)) return true
  return false
}

function isServerOf(pid: number, folder: string): boolean {
  return `${commandLine(pid)} `.includes(` -D ${folder} `)
}

function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      env: childEnvironment(),
    }).trim()
  } catch {
    return '' // there is no such process
  }
}
