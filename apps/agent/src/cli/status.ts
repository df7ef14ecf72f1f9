import type { CommandLine } from '@smsgw/daemon/command-line'
import { StartError } from '@smsgw/daemon/start-error'
import { printable, printableJson } from '@smsgw/daemon/terminal/printable'
import type { AgentConfig } from '../config.ts'
import type { AgentStatus } from '../status/agent-status.ts'
import { agentAnswers, askAgent, noAgentRuns } from '../status/ask-agent.ts'
import { statusLines } from '../status/status-lines.ts'

/** Prints the status of the running agent once, or with `--live` every second until Ctrl-C. */
export async function status({ DATA_DIR: folder }: AgentConfig, { values }: CommandLine): Promise<void> {
  if (values['live']) return live(folder, values['json'] === true)
  const found = await askAgent(folder, { ask: 'status' })
  if (found === undefined) throw noAgentRuns(folder)
  process.stdout.write(formatted(found, values['json'] === true))
}

async function live(folder: string, asJson: boolean): Promise<void> {
  // Exits when the reader of the output closes the output.
  process.stdout.once('error', () => process.exit(0))
  const clear = process.stdout.isTTY && !asJson ? '\x1b[H\x1b[J' : ''
  let before = ''
  for await (const found of agentAnswers<AgentStatus>(folder, { ask: 'status', everyMs: 1_000 })) {
    const text = formatted(found, asJson)
    if (clear !== '' || asJson) process.stdout.write(clear + text)
    else if (withoutAge(found) !== before) process.stdout.write(`${text}\n`)
    before = withoutAge(found)
  }
  if (before === '') throw noAgentRuns(folder)
  throw new StartError('the agent has stopped')
}

/**
 * Removes the running time, which changes every second. Without a terminal, the status is printed again only when
 * something else changes.
 */
function withoutAge(status: AgentStatus): string {
  return JSON.stringify({ ...status, upMs: 0 })
}

function formatted(found: AgentStatus, asJson: boolean): string {
  return asJson
    ? `${printableJson(found)}\n`
    : statusLines(found)
        .map((line) => `${printable(line)}\n`)
        .join('')
}
