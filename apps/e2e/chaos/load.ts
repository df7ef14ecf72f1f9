import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from '../src/house/fleet.ts'

export interface Sent {
  readonly id: string
  readonly destination: string
  readonly text: string
}

/** Messages out and in, for as long as the chaos lasts. A caller who gets no answer asks again, until there is one. */
export class Load {
  readonly sent: Sent[] = []
  /** Texts from outside, each different. */
  readonly received: string[] = []
  /** Requests that were answered by nobody, or by an error that says to come back. */
  tries = 0
  readonly #fleet: Fleet
  readonly #chance: () => number

  constructor(fleet: Fleet, chance: () => number) {
    this.#fleet = fleet
    this.#chance = chance
  }

  /** One message every so often, and one from outside for each fifth. Resolves when the last was accepted. */
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
    const text = `${id} ${this.#chance() < 0.15 ? 'and so on and on '.repeat(20) : 'short'}`
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
      await sleep(200 + this.#chance() * 500)
    }
    this.sent.push({ id, destination, text })
  }

  async #receive(at: number): Promise<void> {
    const modems = this.#fleet.agents.flatMap(({ modems: names }) => names)
    const text = `from outside ${at} ${this.#chance() < 0.2 ? 'with many words '.repeat(15) : ''}`.trim()
    await this.#fleet.emulator.instruct('send-text', { from: outside, to: modems[at % modems.length], text })
    this.received.push(text)
  }
}

/** The number of whoever writes to the modems. */
export const outside = '+447400900001'
