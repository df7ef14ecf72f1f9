import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join, resolve } from 'node:path'
import type { Clock, Timer } from '@smsgw/modem/clock'
import { z } from 'zod'
import type { ModemExamination } from '../doctor/examine-modem.ts'
import type { AnsweredUssd, UssdRequest } from '../modems/ussd-sessions.ts'
import type { AgentStatus, EncryptionKeyStatus } from './agent-status.ts'

/** The requests that a running agent answers for users who may access its data folder. */
export interface ControlAnswers {
  readonly status: () => AgentStatus
  readonly examine: () => Promise<readonly ModemExamination[]>
  readonly ussd: (request: UssdRequest) => Promise<AnsweredUssd>
  readonly rotateEncryptionKey: () => Promise<EncryptionKeyStatus>
  /** Enters a PIN into the SIM of the modem on this port. Returns whether the PIN was accepted and saved. */
  readonly unlock: (request: UnlockRequest) => Promise<boolean>
  /** Makes the modem on this port store the port's baud rate. Returns whether the modem then has this fixed rate. */
  readonly storeBaudRate: (request: { readonly port: string }) => Promise<boolean>
}

export interface UnlockRequest {
  readonly port: string
  readonly pin: string
}

/**
 * A socket in the data folder, accessible to its owner only, for the commands of a running agent. Each request and each
 * answer is a line of JSON. A status request may ask for repeated answers.
 */
export class ControlSocket {
  readonly #server: Server
  readonly #path: SocketPath
  readonly #open = new Set<Socket>()

  private constructor(server: Server, path: SocketPath) {
    this.#server = server
    this.#path = path
  }

  /**
   * The caller must hold the lock of the folder, so that an existing socket can only belong to a process that has
   * ended.
   */
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
      // The umask makes the socket private from the moment at which it is created.
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
    let received = ''
    let repeating: Timer | undefined
    socket.setEncoding('utf8')
    // Ignores the error, because the client has disconnected.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#open.delete(socket)
      repeating?.cancel()
    })
    const send = (answer: ControlAnswer) => socket.write(`${JSON.stringify(answer)}\n`)
    const sendStatus = (everyMs: number) => {
      // Sends no more answers to a client that does not read them.
      if (socket.writableLength === 0) send({ ok: answers.status() })
      repeating = clock.after(everyMs, () => sendStatus(everyMs))
    }
    const take = (chunk: string) => {
      received += chunk
      if (received.length > maxQuestionLength) socket.destroy()
      const end = received.indexOf('\n')
      if (end < 0) return
      socket.off('data', take)
      socket.resume()
      const question = readQuestion(received.slice(0, end))
      if (question?.ask === 'status' && question.everyMs !== undefined) return sendStatus(question.everyMs)
      answerTo(question, answers).then(
        (answer) => socket.end(`${JSON.stringify(answer)}\n`),
        (error: Error) => socket.end(`${JSON.stringify({ problem: error.message })}\n`),
      )
    }
    socket.on('data', take)
  }
}

export type ControlAnswer = { readonly ok: unknown } | { readonly problem: string }

const maxQuestionLength = 4_096

const question = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('status'), everyMs: z.int().min(100).max(60_000).optional() }),
  z.object({ ask: z.literal('examine') }),
  z.object({ ask: z.literal('rotate-encryption-key') }),
  z.object({
    ask: z.literal('ussd'),
    code: z.string().min(1).max(182),
    simNumber: z.int().min(1).max(64).optional(),
    sessionId: z.string().max(64).optional(),
  }),
  z.object({ ask: z.literal('unlock'), port: z.string().min(1).max(1_024), pin: z.string().regex(/^\d{4,8}$/) }),
  z.object({ ask: z.literal('store-baud-rate'), port: z.string().min(1).max(1_024) }),
])

export type ControlQuestion = z.infer<typeof question>

function readQuestion(line: string): ControlQuestion | undefined {
  try {
    return question.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}

async function answerTo(asked: ControlQuestion | undefined, answers: ControlAnswers): Promise<ControlAnswer> {
  switch (asked?.ask) {
    case 'status':
      return { ok: answers.status() }
    case 'examine':
      return { ok: await answers.examine() }
    case 'ussd':
      return { ok: await answers.ussd(asked) }
    case 'rotate-encryption-key':
      return { ok: await answers.rotateEncryptionKey() }
    case 'unlock':
      return { ok: await answers.unlock(asked) }
    case 'store-baud-rate':
      return { ok: await answers.storeBaudRate(asked) }
    case undefined:
      return { problem: 'the running agent does not support this request; restart it if it was updated' }
  }
}

/** The path of a socket, and a shorter name for opening the socket. */
export interface SocketPath {
  readonly file: string
  readonly short: string
  /** Removes the short name. */
  release(): void
}

/**
 * Returns the path of the agent's socket in its data folder. The kernel limits socket names to 107 bytes; the socket in
 * a folder with a longer path is opened through a descriptor of the folder.
 */
export function socketPathIn(folder: string): SocketPath {
  const file = join(resolve(folder), name)
  if (Buffer.byteLength(file) <= maxNameBytes) return { file, short: file, release: () => undefined }
  const descriptor = openSync(resolve(folder), 'r')
  return { file, short: `/proc/self/fd/${descriptor}/${name}`, release: () => closeSync(descriptor) }
}

const name = 'agent.sock'
const maxNameBytes = 107
