import { createConnection } from 'node:net'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { asStarted } from '@smsgw/daemon/as-typed'
import { StartError } from '@smsgw/daemon/start-error'
import type { UssdReply } from '../modems/ussd-desk.ts'
import type { AgentStatus } from './agent-status.ts'
import type { Answer, Question } from './control-socket.ts'
import type { ModemExamination } from './examine-modem.ts'
import { socketPathIn } from './socket-path.ts'

type AnswerTo<Asked extends Question> = {
  readonly status: AgentStatus
  readonly examine: readonly ModemExamination[]
  readonly ussd: UssdReply
}[Asked['ask']]

/** Asks the agent that runs with this data folder. Undefined: none does. */
export async function askAgent<Asked extends Question>(
  folder: string,
  question: Asked,
): Promise<AnswerTo<Asked> | undefined> {
  for await (const answer of answersOf<AnswerTo<Asked>>(folder, question)) return answer
  return undefined
}

/** Its answers as they come, until it ends; none when there is no agent. */
export async function* answersOf<Content>(folder: string, question: Question): AsyncGenerator<Content> {
  const path = tryPath(folder)
  if (path === undefined) return
  const socket = createConnection(path.short)
  try {
    const problem = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      socket.once('connect', () => resolve(undefined))
      socket.once('error', resolve)
    })
    if (problem !== undefined) {
      if (nobodyThere.has(problem.code ?? '')) return
      throw new StartError(explain(problem, folder), { cause: problem })
    }
    // It ends while it is asked: the lines end, too.
    socket.on('error', () => socket.destroy())
    socket.write(`${JSON.stringify(question)}\n`)
    for await (const line of createInterface({ input: socket })) {
      const answer = JSON.parse(line) as Answer
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
    `no agent runs with DATA_DIR=${resolve(folder)}, or it is just starting: ` +
      `start it (\`${asStarted('agent')}\`), or set DATA_DIR as it has it`,
  )
}

function tryPath(folder: string) {
  try {
    return socketPathIn(folder)
  } catch {
    return undefined
  }
}

const nobodyThere = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR'])

function explain({ code, message }: NodeJS.ErrnoException, folder: string): string {
  if (code === 'EACCES' || code === 'EPERM') {
    return `the agent in ${resolve(folder)} is another user's: ask it as that user, \`sudo -u smsgw …\`, or as root`
  }
  return `the agent in ${resolve(folder)} could not be asked: ${message}`
}
