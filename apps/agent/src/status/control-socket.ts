import { mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import type { Clock, Timer } from '@smsgw/modem/clock'
import { z } from 'zod'
import type { UssdReply, UssdRequest } from '../modems/ussd-desk.ts'
import type { AgentStatus } from './agent-status.ts'
import type { ModemExamination } from './examine-modem.ts'
import { type SocketPath, socketPathIn } from './socket-path.ts'

/** What can be asked of an agent that runs, by whoever may enter its data folder. */
export interface ControlAnswers {
  readonly status: () => AgentStatus
  readonly examine: () => Promise<readonly ModemExamination[]>
  readonly ussd: (request: UssdRequest) => Promise<UssdReply>
}

/**
 * A socket in the data folder, for its owner alone: the commands that are started beside a running agent ask there. One
 * line of JSON is the question, and lines of JSON are the answers; whoever wants a status again and again says how often.
 */
export class ControlSocket {
  readonly #server: Server
  readonly #path: SocketPath
  readonly #open = new Set<Socket>()

  private constructor(server: Server, path: SocketPath) {
    this.#server = server
    this.#path = path
  }

  /** The folder must be ours: a socket that lies there was left by somebody who is dead. */
  static open(folder: string, clock: Clock, answers: ControlAnswers): Promise<ControlSocket> {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const path = socketPathIn(folder)
    rmSync(path.file, { force: true })
    return new Promise((resolve, reject) => {
      const server = createServer((socket) => control.#serve(socket, clock, answers))
      const control = new ControlSocket(server, path)
      server.once('error', (error) => {
        path.release()
        reject(error)
      })
      // From its first moment on it is for its owner alone.
      const mask = process.umask(0o177)
      try {
        server.listen(path.short, () => resolve(control))
      } finally {
        process.umask(mask)
      }
    })
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
    rmSync(this.#path.file, { force: true })
    this.#path.release()
  }

  #serve(socket: Socket, clock: Clock, answers: ControlAnswers): void {
    this.#open.add(socket)
    let asked = ''
    let repeating: Timer | undefined
    socket.setEncoding('utf8')
    // Who asked has gone: there is nobody to tell.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#open.delete(socket)
      repeating?.cancel()
    })
    const say = (answer: Answer) => socket.write(`${JSON.stringify(answer)}\n`)
    const tellStatus = (everyMs: number) => {
      // Who does not read is told no more until it does.
      if (socket.writableLength === 0) say({ ok: answers.status() })
      repeating = clock.after(everyMs, () => tellStatus(everyMs))
    }
    const take = (chunk: string) => {
      asked += chunk
      if (asked.length > longestQuestion) socket.destroy()
      const end = asked.indexOf('\n')
      if (end < 0) return
      socket.off('data', take)
      socket.resume()
      const question = readQuestion(asked.slice(0, end))
      if (question?.ask === 'status' && question.everyMs !== undefined) return tellStatus(question.everyMs)
      answerTo(question, answers).then(
        (answer) => socket.end(`${JSON.stringify(answer)}\n`),
        (error: Error) => socket.end(`${JSON.stringify({ problem: error.message })}\n`),
      )
    }
    socket.on('data', take)
  }
}

export type Answer = { readonly ok: unknown } | { readonly problem: string }

const longestQuestion = 4_096

const question = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('status'), everyMs: z.int().min(100).max(60_000).optional() }),
  z.object({ ask: z.literal('examine') }),
  z.object({
    ask: z.literal('ussd'),
    code: z.string().min(1).max(182),
    simNumber: z.int().min(1).max(64).optional(),
    sessionId: z.string().max(64).optional(),
  }),
])

export type Question = z.infer<typeof question>

function readQuestion(line: string): Question | undefined {
  try {
    return question.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}

async function answerTo(asked: Question | undefined, answers: ControlAnswers): Promise<Answer> {
  switch (asked?.ask) {
    case 'status':
      return { ok: answers.status() }
    case 'examine':
      return { ok: await answers.examine() }
    case 'ussd':
      return { ok: await answers.ussd(asked) }
    case undefined:
      return { problem: 'the agent that runs does not know this question: is it of the same version?' }
  }
}
