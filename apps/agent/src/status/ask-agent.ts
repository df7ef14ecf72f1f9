import { createConnection } from 'node:net'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { StartError } from '@smsgw/daemon/start-error'
import { startCommand } from '@smsgw/daemon/user-command'
import type { ModemExamination } from '../doctor/examine-modem.ts'
import type { AnsweredUssd } from '../modems/ussd-sessions.ts'
import type { AgentStatus, EncryptionKeyStatus } from './agent-status.ts'
import { type ControlAnswer, type ControlQuestion, socketPathIn } from './control-socket.ts'

type AnswerTo<Asked extends ControlQuestion> = {
  readonly status: AgentStatus
  readonly examine: readonly ModemExamination[]
  readonly ussd: AnsweredUssd
  readonly 'rotate-encryption-key': EncryptionKeyStatus
  readonly unlock: boolean
  readonly 'store-baud-rate': boolean
}[Asked['ask']]

/** Sends a request to the running agent of this data folder. Returns undefined if no agent is running. */
export async function askAgent<Asked extends ControlQuestion>(
  folder: string,
  question: Asked,
): Promise<AnswerTo<Asked> | undefined> {
  for await (const answer of agentAnswers<AnswerTo<Asked>>(folder, question)) return answer
  return undefined
}

/** Yields the answers of the agent until the agent stops. Yields no answers if no agent is running. */
export async function* agentAnswers<Content>(folder: string, question: ControlQuestion): AsyncGenerator<Content> {
  const path = tryPath(folder)
  if (path === undefined) return
  const socket = createConnection(path.short)
  try {
    const problem = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      socket.once('connect', () => resolve(undefined))
      socket.once('error', resolve)
    })
    if (problem !== undefined) {
      if (notRunning.has(problem.code ?? '')) return
      throw new StartError(explain(problem, folder), { cause: problem })
    }
    // Closes the socket, so that the loop over the lines ends when the agent stops.
    socket.on('error', () => socket.destroy())
    socket.write(`${JSON.stringify(question)}\n`)
    for await (const line of createInterface({ input: socket })) {
      const answer = JSON.parse(line) as ControlAnswer
      if ('problem' in answer) throw new StartError(answer.problem)
      yield answer.ok as Content
    }
  } finally {
    socket.destroy()
    path.release()
  }
}

export function noAgentRuns(folder: string): StartError {
  return new StartError(
    `no agent is running with DATA_DIR=${resolve(folder)}. ` +
      `Start it (\`${startCommand('agent')}\`), or set DATA_DIR to the folder of the running agent`,
  )
}

function tryPath(folder: string) {
  try {
    return socketPathIn(folder)
  } catch {
    return undefined
  }
}

const notRunning = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR'])

function explain({ code, message }: NodeJS.ErrnoException, folder: string): string {
  if (code === 'EACCES' || code === 'EPERM') {
    return `the agent in ${resolve(folder)} belongs to another user. Run this command as that user (\`sudo -u smsgw …\`) or as root`
  }
  return `cannot connect to the agent in ${resolve(folder)}: ${message}`
}
