import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { childEnvironment } from '@smsgw/daemon/child-environment'
import { StartError } from '@smsgw/daemon/start-error'

/**
 * The time for a fast shutdown, which writes the memory to disk. After this time, an immediate shutdown follows, and
 * the next start recovers the data.
 */
const CLEAN_END_MS = 20_000
const TRIES = 50
const PAUSE_MS = 100

/** Messages about clients during start and shutdown. These clients are the relay's own connections. */
const TURNED_AWAY = /^(?:the database system is|terminating connection)/

export interface ServerProcess {
  readonly pid: number
  /** Resolves when the server process ends, for any reason. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

/** Starts PostgreSQL and waits until it accepts connections. */
export async function startServer(command: readonly string[], report: (line: string) => void): Promise<ServerProcess> {
  for (let tries = 1; ; tries += 1) {
    const result = await launch(command, report)
    if (typeof result !== 'string') return result
    // Tries again, because child processes of a killed server end a moment later than the server.
    const childrenLeft = /shared memory block .* still in use/.test(result)
    if (!childrenLeft || tries === TRIES)
      throw new StartError(`the embedded PostgreSQL did not start: ${result}. Fix the problem, or set DATABASE_URL`)
    await sleep(PAUSE_MS)
  }
}

/** Returns the server, or its messages if it did not start. */
function launch([file = '', ...args]: readonly string[], report: (line: string) => void) {
  return new Promise<ServerProcess | string>((resolve) => {
    // The server has its own process group, because Ctrl-C must not stop the database while the relay shuts down.
    const child = spawn(file, args, { detached: true, stdio: ['ignore', 'ignore', 'pipe'], env: childEnvironment() })
    const ended = new Promise<void>((end) => {
      child.once('exit', () => end())
      child.once('error', () => end())
    })
    let said = ''
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.includes('database system is ready to accept connections')) {
        said = ''
        resolve({ pid: child.pid ?? 0, ended, stop: () => stop(child, ended) })
      } else if (/(?:ERROR|FATAL|PANIC):/.test(line)) {
        said = line.replace(/^.*?(?:ERROR|FATAL|PANIC):\s*/, '')
        if (!TURNED_AWAY.test(said)) report(said)
      }
    })
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(said || `it ended with ${signal ?? `code ${code}`}`))
  })
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGINT')
  const impatience = setTimeout(() => child.kill('SIGQUIT'), CLEAN_END_MS)
  await ended
  clearTimeout(impatience)
}
