import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The bundle that the set-up of the tests has built. Benchmarks start the relay from its source files. */
export const MAIN = process.env['TESTED_RELAY'] ?? join(import.meta.dirname, '../main.ts')

export interface TestRelayProcess {
  readonly url: string
  readonly pid: number
  /** The log lines so far. */
  readonly logged: readonly string[]
  kill(signal: NodeJS.Signals): void
  /** Resolves with the exit code or signal. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
}

/** Starts a relay as a separate process and waits until it accepts requests. */
export function startRelayProcess(settings: Readonly<Record<string, string>>): Promise<TestRelayProcess> {
  return startRelayProcessOf(MAIN, settings)
}

/** @param main entry point of another build, for example a bundle */
export async function startRelayProcessOf(
  main: string,
  settings: Readonly<Record<string, string>>,
): Promise<TestRelayProcess> {
  const child = spawn(process.execPath, [...serviceFlags(), main], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  const logged: string[] = []
  let complaints = ''
  child.stderr.on('data', (chunk) => {
    complaints += chunk
  })
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      logged.push(line)
      const { msg, url } = JSON.parse(line)
      if (msg === 'relay listening') resolve(url)
    })
    child.once('close', () => reject(new Error(`the relay did not start: ${complaints || logged.join('\n')}`)))
  })
  return { url, pid: child.pid ?? 0, logged, ended, kill: (signal) => child.kill(signal) }
}

/** Returns the Node flags of the systemd unit. */
function serviceFlags(): string[] {
  const unit = readFileSync(join(import.meta.dirname, '../../system/smsgw-relay.service'), 'utf8')
  const [, flags] = /^ExecStart=.* node((?: --\S+)*) apps/m.exec(unit) ?? []
  if (flags === undefined) throw new Error('smsgw-relay.service has no ExecStart line with node')
  return flags.split(' ').slice(1)
}
