import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from '../src/house/fleet.ts'

export interface Sent {
  readonly id: string
  readonly destination: string
  readonly text: string
}

/** Sends and receives messages during the run. A request without an answer is repeated until there is one. */
export class Load {
  readonly sent: Sent[] = []
  /** Texts sent to the modems, each different. */
  readonly received: string[] = []
  /** Requests without an answer, or with an error that allows a retry. */
  tries = 0
  readonly #fleet: Fleet
  readonly #random: () => number

  constructor(fleet: Fleet, random: () => number) {
    this.#fleet = fleet
    this.#random = random
  }

  /** Sends a message at each interval, and one to the modems for every fifth. Resolves when the last was accepted. */
  async run(messages: number, everyMs: number): Promise<void> {
    const underWay = new Set<Promise<void>>()
    const begin = (work: Promise<void>) => {
      underWay.add(work)
      work.finally(() => underWay.delete(work)).catch(() => undefined)
    }
    const beganAt = performance.now()
    for (let at = 0; at < messages; at += 1) {
      begin(this.#send(at))
      if (at % 5 === 0) begin(this.#receive(at / 5))
      await sleep(Math.max(0, beganAt + (at + 1) * everyMs - performance.now()))
      while (underWay.size > 200) await Promise.race(underWay)
    }
    await Promise.all(underWay)
  }

  async #send(at: number): Promise<void> {
    const id = `chaos-${at}`
    const destination = `+4474001${String(at).padStart(5, '0')}`
    const text = `${id} ${this.#random() < 0.15 ? 'and so on and on '.repeat(20) : 'short'}`
    const message = { id, phoneNumbers: [destination], textMessage: { text } }
    for (let turn = at; ; turn += 1) {
      const { api } = this.#fleet.relays[turn % this.#fleet.relays.length] ?? {}
      const answer = await api
        ?.ask('POST', '/messages', message, { 'Idempotency-Key': id }, 20_000)
        .catch(() => undefined)
      if (answer?.status === 202) break
      if (answer !== undefined && answer.status < 500 && ![408, 429].includes(answer.status))
        throw new Error(`${id} was refused: ${answer.status} ${JSON.stringify(answer.json)}`)
      this.tries += 1
      await sleep(200 + this.#random() * 500)
    }
    this.sent.push({ id, destination, text })
  }

  async #receive(at: number): Promise<void> {
    const modems = this.#fleet.agents.flatMap(({ modems: names }) => names)
    const text = `from outside ${at} ${this.#random() < 0.2 ? 'with many words '.repeat(15) : ''}`.trim()
    await this.#fleet.emulator.instruct('send-text', { from: outside, to: modems[at % modems.length], text })
    this.received.push(text)
  }
}

/** The sender of the messages to the modems. */
export const outside = '+447400900001'
