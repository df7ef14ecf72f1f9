import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const MAIN = join(import.meta.dirname, '../main.ts')
export interface RelayProcess {
  readonly url: string
  readonly pid: number
  /** Lines of its log so far. */
  readonly logged: readonly string[]
  kill(signal: NodeJS.Signals): void
  /** How it ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
}

/** A relay as it is started in earnest, a process of its own; it serves when this returns. */
export function startRelayProcess(settings: Readonly<Record<string, string>>): Promise<RelayProcess> {
  return startRelayProcessOf(MAIN, settings)
}

/** @param main another than this one, a bundle for example */
export async function startRelayProcessOf(
  main: string,
  settings: Readonly<Record<string, string>>,
): Promise<RelayProcess> {
  const child = spawn(process.execPath, [...serviceFlags(), main], {
    env: { PATH: process.env['PATH'], PORT: '0', ...settings },
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
      if (msg === 'the relay is there') resolve(url)
    })
    child.once('close', () => reject(new Error(`the relay did not start: ${complaints || logged.join('\n')}`)))
  })
  return { url, pid: child.pid ?? 0, logged, ended, kill: (signal) => child.kill(signal) }
}

/** Of the runtime, as the service has them. */
function serviceFlags(): string[] {
  const unit = readFileSync(join(import.meta.dirname, '../../system/smsgw-relay.service'), 'utf8')
  const [, flags] = /^ExecStart=.* node((?: --\S+)*) apps/m.exec(unit) ?? []
  if (flags === undefined) throw new Error('the unit of the relay does not tell how it is started')
  return flags.split(' ').slice(1)
}
