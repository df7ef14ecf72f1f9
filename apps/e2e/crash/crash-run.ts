import { type ApiAnswer, eventually, type MessageAnswer } from '../src/house/api-client.ts'
import type { House } from '../src/house/house.ts'
import type { HouseProcess } from '../src/house/process.ts'

/** What came of the traffic around one crash. */
export interface CrashReport {
  /** False: the traffic never passed there. */
  readonly crashed: boolean
  readonly lost: readonly string[]
  readonly twice: readonly string[]
  readonly inDoubt: number
  readonly problems: readonly string[]
}

export interface Crash {
  readonly who: 'agent' | 'relay'
  readonly label: string
  /** The how manyeth time that it passes there. */
  readonly pass: number
}

/**
 * Kills one process at a labelled place while messages go out and come in, starts it again, and compares what the API tells
 * in the end with what the network took.
 */
export class CrashRun {
  readonly #house: House
  readonly #crash: Crash
  /** Another one for each run: all that belongs to it is known by it. */
  readonly #number: number
  readonly #ids: string[] = []
  readonly #sentIn: string[] = []

  constructor(house: House, crash: Crash, number: number) {
    this.#house = house
    this.#crash = crash
    this.#number = number
  }

  async run(): Promise<CrashReport> {
    const victim = await this.#aim()
    await this.#traffic(victim)
    const crashed = await endOf(victim, 6_000)
    if (crashed && this.#crash.who === 'agent') await this.#house.startAgent({}, false)
    if (crashed && this.#crash.who === 'relay') await this.#house.restartRelay()
    const outbound = await this.#auditOutbound()
    const inbound = await this.#auditInbound()
    return {
      crashed,
      ...outbound,
      lost: [...outbound.lost, ...inbound.lost],
      problems: [...outbound.problems, ...inbound.problems],
    }
  }

  async #aim(): Promise<HouseProcess> {
    const { who, label, pass } = this.#crash
    const aim = { SMSGW_CRASH_AT: `${label}:${pass}` }
    if (who === 'agent') {
      await this.#house.agent?.stop()
      // It may well die before it is ready.
      const agent = await this.#house.startAgent(aim, false)
      await Promise.race([this.#house.untilReady(), agent.ended()])
      return agent
    }
    await this.#house.relay.stop()
    await this.#house.restartRelay(aim)
    const { relay } = this.#house
    await Promise.race([this.#house.untilReady(), relay.ended()])
    return relay
  }

  /** Singles, a long one, one that is cancelled, and what comes in. */
  async #traffic(victim: HouseProcess): Promise<void> {
    const texts = ['one', 'long '.repeat(70), 'three', 'four']
    for (const [at, text] of texts.entries()) {
      await this.#send(at, text)
      const incoming = `in ${this.#number}-${at}`
      await this.#house.emulator.instruct('send-text', { from: '+447400900001', to: 'modem0', text: incoming })
      this.#sentIn.push(incoming)
    }
    const last = this.#ids.at(-1)
    if (last !== undefined && !victim.isOver) await this.#ask('DELETE', `/messages/${last}`)
  }

  async #send(at: number, text: string): Promise<void> {
    const id = `crash-${this.#number}-${at}`
    const message = { id, phoneNumbers: [this.#destination(at)], textMessage: { text: `${id} ${text}` } }
    const answer = await this.#ask('POST', '/messages', message)
    // Without an answer nobody knows: it counts when it is there afterwards.
    if (answer === undefined || answer.status === 202) this.#ids.push(id)
  }

  #destination(at: number): string {
    return `+447400${String(100_000 + this.#number * 4 + at)}`
  }

  #ask(method: string, path: string, body?: object): Promise<ApiAnswer | undefined> {
    return this.#house.api.ask(method, path, body).catch(() => undefined)
  }

  async #auditOutbound() {
    const found = { lost: [] as string[], twice: [] as string[], inDoubt: 0, problems: [] as string[] }
    for (const id of this.#ids) {
      const known = await eventually(
        () => this.#ask('GET', `/messages/${id}`),
        (answer) => answer !== undefined && answer.status < 500,
      )
      // The relay was killed before it had said 202: nothing was promised.
      if (known?.status === 404) continue
      const message = await this.#house.api.until(id, isEnded, 180_000).catch((error: Error) => error.message)
      if (typeof message === 'string') found.problems.push(`${id} never ended: ${message.slice(0, 300)}`)
      else this.#judge(message, found)
    }
    return found
  }

  #judge(
    { id, state, recipients }: MessageAnswer,
    found: { lost: string[]; twice: string[]; inDoubt: number; problems: string[] },
  ): void {
    const [recipient] = recipients
    const onAir = this.#house.emulator.ledger().filter(({ destination }) => destination === recipient?.phoneNumber)
    const pdus = onAir.map(({ pdu }) => pdu)
    const error = recipient?.error ?? ''
    if (new Set(pdus).size !== pdus.length) found.twice.push(id)
    if (state === 'Cancelled' && onAir.length > 0) found.problems.push(`${id} is told as cancelled, and was sent`)
    if (error.includes('submit_unknown')) found.inDoubt += 1
    else if (state === 'Failed') found.problems.push(`${id} failed: ${error}`)
    else if (state !== 'Cancelled' && onAir.length === 0) found.lost.push(id)
  }

  async #auditInbound() {
    const mine = async () => {
      const answer = await this.#ask('GET', '/inbox?limit=100')
      const items = (answer?.json ?? []) as { text?: string }[]
      return items.flatMap(({ text }) => (text?.startsWith(`in ${this.#number}-`) ? [text] : []))
    }
    const texts = await eventually(mine, (all) => new Set(all).size >= this.#sentIn.length, 120_000).catch(mine)
    return {
      lost: this.#sentIn.filter((text) => !texts.includes(text)),
      problems: texts.length === new Set(texts).size ? [] : [`the inbox holds one twice: ${texts.join(', ')}`],
    }
  }
}

function isEnded({ state }: MessageAnswer): boolean {
  return ['Sent', 'Delivered', 'Failed', 'Cancelled'].includes(state)
}

async function endOf(victim: HouseProcess, limitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), limitMs)
  const ended = await Promise.race([victim.ended().then(() => true), promise])
  clearTimeout(timer)
  return ended
}
