import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetParts } from '../src/house/fleet.ts'

export interface Sent {
  readonly id: string
  readonly destination: string
  readonly text: string
  /** The time of this machine at the first request. */
  readonly offeredAtMs: number
}

export interface InboundMessage {
  readonly text: string
  /** The time of this machine when the message was given to the network. */
  readonly offeredAtMs: number
}

/** The device and the SIM with which the API addresses a modem. */
export interface Target {
  readonly deviceId: string
  readonly simNumber: number
}

/** Sends and receives messages during the run. A request without an answer is repeated until an answer arrives. */
export class ChaosLoad {
  /** Messages whose request was sent. Some of them may not be accepted yet. */
  readonly offered: Sent[] = []
  readonly sent: Sent[] = []
  /** Messages that were sent to the modems, each with a different text. */
  readonly received: InboundMessage[] = []
  /** Answers that a client cannot handle: other text than JSON, or a 503 that does not say when to try again. */
  readonly unusable: string[] = []
  /** The number of requests that got no answer, or an error that allows a retry. */
  tries = 0
  readonly #fleet: FleetParts
  readonly #random: () => number
  readonly #targets: readonly Target[]
  readonly #receiveEvery: number
  readonly #name: string
  readonly #recipients: string
  readonly #isFull: () => boolean

  /**
   * @param targets the modems that send one after the other; by default the relay chooses
   * @param receiveEvery the number of sent messages after which a modem receives a message
   * @param name the beginning of all ids and received texts
   * @param recipients the beginning of all recipients; five digits follow
   * @param isFull while true, no further message is sent
   */
  constructor(
    fleet: FleetParts,
    random: () => number,
    {
      targets = [],
      receiveEvery = 5,
      name = 'chaos',
      recipients = '+4474001',
      isFull = () => false,
    }: ChaosLoadOptions = {},
  ) {
    this.#fleet = fleet
    this.#random = random
    this.#targets = targets
    this.#receiveEvery = receiveEvery
    this.#name = name
    this.#recipients = recipients
    this.#isFull = isFull
  }

  /**
   * Sends a message at each interval until the number is reached or `isOver` returns true. Resolves when the last
   * message was accepted.
   */
  async run(messages: number, everyMs: number, isOver = () => false): Promise<void> {
    const underWay = new Set<Promise<void>>()
    const begin = (work: Promise<void>) => {
      underWay.add(work)
      work.finally(() => underWay.delete(work)).catch(() => undefined)
    }
    const beganAt = performance.now()
    for (let at = 0; at < messages && !isOver(); at += 1) {
      begin(this.#send(at))
      if (at % this.#receiveEvery === 0) begin(this.#receive(at / this.#receiveEvery))
      await sleep(Math.max(0, beganAt + (at + 1) * everyMs - performance.now()))
      while (underWay.size > 200) await Promise.race(underWay)
      while (this.#isFull() && !isOver()) await sleep(100)
    }
    await Promise.all(underWay)
  }

  async #send(at: number): Promise<void> {
    const id = `${this.#name}-${at}`
    const destination = `${this.#recipients}${String(at).padStart(5, '0')}`
    const text = `${id} ${this.#random() < 0.15 ? 'and so on and on '.repeat(20) : 'short'}`
    const target = this.#targets[at % Math.max(1, this.#targets.length)]
    const message = { id, phoneNumbers: [destination], textMessage: { text }, ...target }
    const offered = { id, destination, text, offeredAtMs: Date.now() }
    this.offered.push(offered)
    for (let turn = at; ; turn += 1) {
      const apis =
        this.#fleet.balanced === undefined ? this.#fleet.relays.map(({ api }) => api) : [this.#fleet.balanced]
      const answer = await apis[turn % apis.length]
        ?.ask('POST', '/messages', message, { 'Idempotency-Key': id }, 20_000)
        .catch((error: unknown) => {
          if (error instanceof SyntaxError) this.unusable.push(error.message)
          return undefined
        })
      if (answer?.status === 202) break
      if (answer?.status === 503 && !answer.headers.has('retry-after')) this.unusable.push('503 without Retry-After')
      if (answer !== undefined && answer.status < 500 && ![408, 429].includes(answer.status))
        throw new Error(`${id} was refused: ${answer.status} ${JSON.stringify(answer.json)}`)
      this.tries += 1
      await sleep(200 + this.#random() * 500)
    }
    this.sent.push(offered)
  }

  async #receive(at: number): Promise<void> {
    const modems = this.#fleet.agents.flatMap(({ modems: names }) => names)
    const text = `${this.#name} received ${at} ${this.#random() < 0.2 ? 'with many words '.repeat(15) : ''}`.trim()
    const offeredAtMs = Date.now()
    await this.#fleet.emulator.instruct('send-text', { from: outside, to: modems[at % modems.length], text })
    this.received.push({ text, offeredAtMs })
  }
}

interface ChaosLoadOptions {
  readonly targets?: readonly Target[]
  readonly receiveEvery?: number
  readonly name?: string
  readonly recipients?: string
  readonly isFull?: () => boolean
}

/** The sender of the messages to the modems. */
export const outside = '+447400900001'
