import { StartError } from '@smsgw/daemon/start-error'
import type { AgentConfig } from '../config.ts'
import { printable } from '../modem-tool/printable.ts'
import type { AgentStatus } from '../status/agent-status.ts'
import { answersOf, askAgent, noAgentRuns } from '../status/ask-agent.ts'
import { statusLines } from '../status/status-lines.ts'
import { readArguments } from './read-arguments.ts'

/** How the agent that runs here is: once, or again every second until Ctrl-C. */
export async function status({ DATA_DIR: folder }: AgentConfig, args: readonly string[]): Promise<void> {
  const { values } = readArguments('status [--live] [--json]', args, {
    live: { type: 'boolean' },
    json: { type: 'boolean' },
  })
  if (values['live']) return live(folder, values['json'] === true)
  const found = await askAgent(folder, { ask: 'status' })
  if (found === undefined) throw noAgentRuns(folder)
  process.stdout.write(shown(found, values['json'] === true))
}

async function live(folder: string, asJson: boolean): Promise<void> {
  const clear = process.stdout.isTTY && !asJson ? '\x1b[H\x1b[J' : ''
  let before = ''
  for await (const found of answersOf<AgentStatus>(folder, { ask: 'status', everyMs: 1_000 })) {
    const text = shown(found, asJson)
    if (clear !== '' || asJson) process.stdout.write(clear + text)
    else if (withoutAge(found) !== before) process.stdout.write(`${text}\n`)
    before = withoutAge(found)
  }
  if (before === '') throw noAgentRuns(folder)
  throw new StartError('the agent has ended')
}

/** A terminal shows every second; a file gets what is new. */
function withoutAge(status: AgentStatus): string {
  return JSON.stringify({ ...status, upMs: 0 })
}

function shown(found: AgentStatus, asJson: boolean): string {
  return asJson
    ? `${JSON.stringify(found)}\n`
    : statusLines(found)
        .map((line) => `${printable(line)}\n`)
        .join('')
}
