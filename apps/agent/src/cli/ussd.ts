import { createInterface } from 'node:readline/promises'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { StartError } from '@smsgw/daemon/start-error'
import { printable } from '@smsgw/daemon/terminal/printable'
import { userCommand } from '@smsgw/daemon/user-command'
import type { AgentConfig } from '../config.ts'
import type { AnsweredUssd } from '../modems/ussd-sessions.ts'
import { askAgent, noAgentRuns } from '../status/ask-agent.ts'

/** Sends a USSD code through the running agent of this data folder, and prints the reply. */
export async function ussd({ DATA_DIR: folder }: AgentConfig, { values, positionals }: CommandLine): Promise<void> {
  const simNumber = simNumberOf(values['sim'])
  const ask = async (code: string, sessionId: string | undefined) => {
    const reply = await askAgent(folder, { ask: 'ussd', code, simNumber, sessionId })
    if (reply === undefined) throw noAgentRuns(folder)
    return reply
  }
  let reply = await ask(positionals[0] ?? '', values['session'] === undefined ? undefined : String(values['session']))
  print(reply)
  while (process.stdin.isTTY && reply.more === true && reply.sessionId !== undefined) {
    const answer = await askUser()
    if (answer === '') return
    reply = await ask(answer, reply.sessionId)
    print(reply)
  }
}

function print({ outcome, text, reason, more, sessionId }: AnsweredUssd): void {
  if (outcome !== 'answered') throw new StartError(reason ?? outcome)
  const lines = (text ?? '').split('\n').map(printable)
  process.stdout.write(`${lines.join('\n')}\n`)
  if (more === true && !process.stdin.isTTY) {
    process.stdout.write(
      `The network expects a reply: ${userCommand('agent', `ussd --session ${sessionId} <reply>`)}\n`,
    )
  }
}

/** Asks for a reply. An empty reply ends the session. */
async function askUser(): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await terminal.question('Reply (leave empty to end): ')).trim()
  } finally {
    terminal.close()
  }
}

function simNumberOf(text: unknown): number | undefined {
  if (text === undefined) return undefined
  const simNumber = Number(text)
  if (!Number.isInteger(simNumber) || simNumber < 1 || simNumber > 64) {
    throw new StartError(
      `--sim must be a SIM number from 1 to 64, not ${JSON.stringify(text)}; \`${userCommand('agent', 'status')}\` lists the SIMs`,
    )
  }
  return simNumber
}
