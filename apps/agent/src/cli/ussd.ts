import { createInterface } from 'node:readline/promises'
import { asTyped } from '@smsgw/daemon/as-typed'
import { StartError } from '@smsgw/daemon/start-error'
import type { AgentConfig } from '../config.ts'
import { printable } from '../modem-tool/printable.ts'
import type { UssdReply } from '../modems/ussd-desk.ts'
import { askAgent, noAgentRuns } from '../status/ask-agent.ts'
import { readArguments } from './read-arguments.ts'

/** A conversation with the network, by a SIM of the agent that runs here. */
export async function ussd({ DATA_DIR: folder }: AgentConfig, args: readonly string[]): Promise<void> {
  const { values, words } = readArguments(
    'ussd <code> [--sim <n>] [--session <id>], for example ussd "*100#"',
    args,
    { sim: { type: 'string' }, session: { type: 'string' } },
    { least: 1, most: 1 },
  )
  const simNumber = simNumberOf(values['sim'])
  const ask = async (code: string, sessionId: string | undefined) => {
    const reply = await askAgent(folder, { ask: 'ussd', code, simNumber, sessionId })
    if (reply === undefined) throw noAgentRuns(folder)
    return reply
  }
  let reply = await ask(words[0] ?? '', values['session'] === undefined ? undefined : String(values['session']))
  tell(reply)
  while (process.stdin.isTTY && reply.more === true && reply.sessionId !== undefined) {
    const answer = await questioned()
    if (answer === '') return
    reply = await ask(answer, reply.sessionId)
    tell(reply)
  }
}

function tell({ outcome, text, reason, more, sessionId }: UssdReply): void {
  if (outcome !== 'answered') throw new StartError(reason ?? outcome)
  const lines = (text ?? '').split('\n').map(printable)
  process.stdout.write(`${lines.join('\n')}\n`)
  if (more === true && !process.stdin.isTTY) {
    process.stdout.write(`The network waits for a reply: ${asTyped('agent', `ussd --session ${sessionId} <reply>`)}\n`)
  }
}

/** An empty reply ends it. */
async function questioned(): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await terminal.question('Reply (empty ends it): ')).trim()
  } finally {
    terminal.close()
  }
}

function simNumberOf(text: unknown): number | undefined {
  if (text === undefined) return undefined
  const simNumber = Number(text)
  if (!Number.isInteger(simNumber) || simNumber < 1 || simNumber > 64) {
    throw new StartError(`--sim is the number of a SIM, 1 to 64; \`${asTyped('agent', 'status')}\` lists them`)
  }
  return simNumber
}
