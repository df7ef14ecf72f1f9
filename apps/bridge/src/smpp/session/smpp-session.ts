import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Log } from '@smsgw/daemon/log/log'
import { COMMAND, RESPONSE_BIT, SmppError, STATUS, type StatusName } from '../protocol/command.ts'
import { fields, TLV, tlv } from '../protocol/fields.ts'
import { encodePdu, FramingError, type Pdu, PduStream } from '../protocol/pdu.ts'
import { type BindRequest, readBind } from '../protocol/requests.ts'
import type { SmppLogin } from './authenticate.ts'

/** The number of requests of a client that are processed at the same time. More requests wait in its connection. */
const MOST_REQUESTS = 32
/** The largest number of unanswered deliver_sm. */
export const MOST_DELIVERIES = 10
/** The largest size of answers that a client has not read yet. Above this size, no further request is read. */
const MOST_UNREAD_OCTETS = 262_144
/** The longest PDU before the bind. A bind has four texts of at most 64 characters. */
const LARGEST_BEFORE_BIND = 512
/** The longest PDU after the bind. message_payload has at most 65 535 octets. */
const LARGEST_PDU = 70_000

export interface SessionTimes {
  /** The time limit for a successful bind. */
  readonly bindMs: number
  /** The time without a PDU after which the server sends enquire_link. */
  readonly idleMs: number
  /** The time limit for an answer, or for the rest of a PDU. */
  readonly answerMs: number
  /** The pause before the answer to a wrong password. */
  readonly refusalMs: number
}

export const SESSION_TIMES: SessionTimes = { bindMs: 15_000, idleMs: 60_000, answerMs: 30_000, refusalMs: 1_000 }

export interface SmppAnswer {
  readonly status?: StatusName
  readonly body?: Uint8Array
}

export interface SessionOptions {
  readonly socket: Socket
  readonly address: string
  readonly log: Log
  readonly times: SessionTimes
  /** Checks a login. Throws an SmppError if it is refused. */
  readonly onBind: (request: BindRequest, isSender: boolean, session: SmppSession) => Promise<SmppLogin>
  /** Answers a request of a bound client that may send. */
  readonly onRequest: (request: Pdu, session: SmppSession, login: SmppLogin) => Promise<SmppAnswer>
  readonly onReceiver: (session: SmppSession) => void
  readonly onClose: (session: SmppSession) => void
}

type State = 'open' | 'binding' | 'bound' | 'closing'

/** The kind of client (§2.2): a transmitter sends, a receiver receives, a transceiver does both. */
const BINDS: ReadonlyMap<number, { readonly isSender: boolean; readonly isReceiver: boolean }> = new Map([
  [COMMAND.bindTransmitter, { isSender: true, isReceiver: false }],
  [COMMAND.bindReceiver, { isSender: false, isReceiver: true }],
  [COMMAND.bindTransceiver, { isSender: true, isReceiver: true }],
])

const REQUESTS: readonly number[] = [
  COMMAND.submitSm,
  COMMAND.submitMulti,
  COMMAND.dataSm,
  COMMAND.querySm,
  COMMAND.cancelSm,
  COMMAND.replaceSm,
]

/**
 * One connection of a client. The session is `open` until a bind, `binding` while the login is checked, then `bound`,
 * and `closing` after an unbind or an error. Requests may be answered in any order, because a request and its answer
 * have the same sequence number.
 */
export class SmppSession {
  readonly id = randomUUID()
  readonly #options: SessionOptions
  readonly #stream = new PduStream(LARGEST_BEFORE_BIND)
  readonly #waiting = new Map<number, (status: number | undefined) => void>()
  readonly #timer: NodeJS.Timeout
  #state: State = 'open'
  #login: SmppLogin | undefined
  #isSender = false
  #isReceiver = false
  #requests = 0
  readonly #untilIdle: (() => void)[] = []
  #sequence = 0
  #openedAt = performance.now()
  #lastPduAt = performance.now()
  #partialSince: number | undefined
  #blockedSince: number | undefined
  #unblockedAt = 0
  #enquiredAt: number | undefined

  constructor(options: SessionOptions) {
    this.#options = options
    const { socket, times } = options
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      this.#stream.push(chunk)
      this.#work()
    })
    socket.on('drain', () => this.#work())
    socket.on('end', () => this.close())
    // Ignores connection errors, because clients cause them.
    socket.on('error', (error) => options.log.debug({ reason: error.message }, 'SMPP connection failed'))
    socket.on('close', () => this.#closed())
    this.#timer = setInterval(() => this.#checkTimes(), Math.min(1_000, times.answerMs / 4))
  }

  get login(): SmppLogin | undefined {
    return this.#login
  }

  get isBound(): boolean {
    return this.#state === 'bound'
  }

  get isReceiver(): boolean {
    return this.isBound && this.#isReceiver
  }

  get address(): string {
    return this.#options.address
  }

  /** Sends a deliver_sm. Returns the status of the answer, or undefined if the connection ended before it. */
  deliver(body: Uint8Array): Promise<number | undefined> {
    return this.#request(COMMAND.deliverSm, body)
  }

  /** Ends the connection after requests in progress are answered (§4.2). */
  async unbind(): Promise<void> {
    if (this.isBound) await this.#request(COMMAND.unbind)
    await this.#idle()
    this.close()
  }

  close(): void {
    this.#state = 'closing'
    const { socket } = this.#options
    socket.end()
    // Closes the socket after a time limit, because answers cannot be written if the client does not read.
    setTimeout(() => socket.destroy(), CLOSE_MS).unref()
  }

  /** Processes received data while the client reads its answers and few requests are open. */
  #work(): void {
    const { socket } = this.#options
    try {
      while (this.#mayWork()) {
        const pdu = this.#stream.next()
        if (pdu === undefined) break
        this.#lastPduAt = performance.now()
        this.#enquiredAt = undefined
        this.#partialSince = undefined
        this.#handle(pdu)
      }
    } catch (error) {
      if (!(error instanceof FramingError)) throw error
      this.#log('info', { reason: error.message }, 'SMPP connection closed')
      this.#write({ command: COMMAND.genericNack, status: STATUS.ESME_RINVCMDLEN, sequence: 0 })
      this.close()
    }
    if (this.#mayWork()) {
      if (this.#blockedSince !== undefined) this.#unblockedAt = performance.now()
      this.#blockedSince = undefined
      this.#partialSince = this.#stream.hasPartial ? (this.#partialSince ?? performance.now()) : undefined
      socket.resume()
    } else {
      this.#blockedSince ??= performance.now()
      socket.pause()
    }
  }

  #mayWork(): boolean {
    if (this.#state === 'binding' || this.#state === 'closing') return false
    return this.#requests < MOST_REQUESTS && !this.#hasUnread()
  }

  #hasUnread(): boolean {
    return this.#options.socket.writableLength > MOST_UNREAD_OCTETS
  }

  #handle(pdu: Pdu): void {
    const { command, sequence } = pdu
    if (command >= RESPONSE_BIT) this.#answered(pdu)
    else if (BINDS.has(command)) this.#bind(pdu)
    else if (command === COMMAND.enquireLink) this.#respond(pdu, this.isBound ? {} : { status: 'ESME_RINVBNDSTS' })
    else if (command === COMMAND.unbind) this.#unbound(pdu)
    else if (!REQUESTS.includes(command))
      this.#write({ command: COMMAND.genericNack, status: STATUS.ESME_RINVCMDID, sequence })
    else if (this.#login === undefined || !this.#isSender) this.#respond(pdu, { status: 'ESME_RINVBNDSTS' })
    else void this.#run(pdu, this.#login)
  }

  #answered({ sequence, command, status }: Pdu): void {
    // A generic_nack with a sequence number is the answer to the request with this number (§4.3.1).
    const isRefusal = command === COMMAND.genericNack && status === 0
    this.#waiting.get(sequence)?.(isRefusal ? STATUS.ESME_RX_R_APPN : status)
  }

  #bind(pdu: Pdu): void {
    const { onBind, onReceiver, times } = this.#options
    const { isSender = false, isReceiver = false } = BINDS.get(pdu.command) ?? {}
    if (this.#state !== 'open') {
      this.#respond(pdu, { status: 'ESME_RALYBND' })
      return
    }
    this.#state = 'binding'
    const startedAt = performance.now()
    const bind = async () => {
      const request = readBind(pdu.body)
      this.#login = await onBind(request, isSender, this)
      if (this.#state !== 'binding') return
      this.#isSender = isSender
      this.#isReceiver = isReceiver
      this.#state = 'bound'
      this.#stream.mostOctets = LARGEST_PDU
      const version = request.interfaceVersion < 0x34 ? [] : [tlv(TLV.scInterfaceVersion, Uint8Array.of(0x34))]
      this.#respond(pdu, { body: fields(SERVER_ID, ...version) })
      this.#log('info', { isSender, isReceiver }, 'SMPP client bound')
      if (isReceiver) onReceiver(this)
      this.#work()
    }
    bind().catch((error: unknown) => {
      const status = this.#statusOf(error)
      this.#log('warn', { status, reason: (error as Error).message }, 'SMPP bind refused')
      // Waits the same time for each reason, so that the time does not reveal whether the password is right.
      const wait = Math.max(0, startedAt + times.refusalMs - performance.now())
      setTimeout(() => {
        this.#respond(pdu, { status })
        this.close()
      }, wait)
    })
  }

  #unbound(pdu: Pdu): void {
    if (!this.isBound) {
      this.#respond(pdu, { status: 'ESME_RINVBNDSTS' })
      return
    }
    this.#state = 'closing'
    void this.#idle().then(() => {
      this.#respond(pdu, {})
      this.close()
    })
  }

  /** Resolves when all requests are answered. */
  #idle(): Promise<void> {
    return this.#requests === 0 ? Promise.resolve() : new Promise((resolve) => this.#untilIdle.push(resolve))
  }

  async #run(pdu: Pdu, login: SmppLogin): Promise<void> {
    this.#requests += 1
    try {
      this.#respond(pdu, await this.#options.onRequest(pdu, this, login))
    } catch (error) {
      this.#respond(pdu, { status: this.#statusOf(error) })
    } finally {
      this.#requests -= 1
      if (this.#requests === 0) for (const resolve of this.#untilIdle.splice(0)) resolve()
      this.#work()
    }
  }

  #statusOf(error: unknown): StatusName {
    if (error instanceof SmppError) return error.status
    this.#options.log.error({ err: error }, 'SMPP request not processed')
    return 'ESME_RSYSERR'
  }

  #respond({ command, sequence }: Pdu, { status = 'ESME_ROK', body }: SmppAnswer): void {
    this.#write({
      command: (command | RESPONSE_BIT) >>> 0,
      status: STATUS[status],
      sequence,
      // A refused request has no body (§4.4.2).
      ...(status === 'ESME_ROK' && body !== undefined && { body }),
    })
  }

  #request(command: number, body?: Uint8Array): Promise<number | undefined> {
    if (!this.isBound) return Promise.resolve(undefined)
    this.#sequence = (this.#sequence % 0x7fffffff) + 1
    const sequence = this.#sequence
    const { socket, times } = this.#options
    const sentAt = performance.now()
    return new Promise((resolve) => {
      const check = () => {
        // Excludes the time during which reading was blocked, because the answer may be behind requests that were not
        // read yet.
        const waitedMs = this.#blockedSince === undefined ? performance.now() - Math.max(sentAt, this.#unblockedAt) : 0
        if (waitedMs < times.answerMs) {
          timer = setTimeout(check, times.answerMs - waitedMs)
          return
        }
        this.#log('warn', { command }, 'SMPP client does not answer, connection closed')
        socket.destroy()
      }
      let timer = setTimeout(check, times.answerMs)
      this.#waiting.set(sequence, (status) => {
        this.#waiting.delete(sequence)
        clearTimeout(timer)
        resolve(status)
      })
      this.#write({ command, sequence, ...(body !== undefined && { body }) })
    })
  }

  #write(pdu: Parameters<typeof encodePdu>[0]): void {
    const { socket } = this.#options
    if (socket.writable) socket.write(encodePdu(pdu))
  }

  #checkTimes(): void {
    const { times, socket } = this.#options
    const now = performance.now()
    if (this.#state === 'open' && now - this.#openedAt > times.bindMs) socket.destroy()
    if (this.#partialSince !== undefined && now - this.#partialSince > times.answerMs) socket.destroy()
    if (this.#blockedSince !== undefined && this.#hasUnread() && now - this.#blockedSince > times.answerMs)
      socket.destroy()
    const isReading = this.#state === 'bound' && this.#blockedSince === undefined
    if (!isReading || this.#enquiredAt !== undefined || now - this.#lastPduAt < times.idleMs) return
    this.#enquiredAt = now
    void this.#request(COMMAND.enquireLink)
  }

  #closed(): void {
    clearInterval(this.#timer)
    this.#state = 'closing'
    for (const answer of [...this.#waiting.values()]) answer(undefined)
    if (this.#login !== undefined) this.#log('info', {}, 'SMPP client disconnected')
    this.#options.onClose(this)
  }

  #log(level: 'info' | 'warn', facts: object, message: string): void {
    const { log, address } = this.#options
    log[level]({ client: address, systemId: this.#login?.systemId, ...facts }, message)
  }
}

/** The system_id of the server in the answer to a bind. */
const SERVER_ID = 'smsgw'
const CLOSE_MS = 2_000
