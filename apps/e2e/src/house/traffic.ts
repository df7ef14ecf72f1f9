import { type ApiAnswer, eventually, type MessageAnswer } from './api-client.ts'
import type { House } from './house.ts'

export interface Audit {
  readonly lost: readonly string[]
  readonly twice: readonly string[]
  /** Ended as `submit_unknown`: said so, and not sent again. */
  readonly inDoubt: number
  readonly problems: readonly string[]
}

/** Messages of one test, out and in, and what became of them: the API's word against the ledger's. */
export class Traffic {
  readonly ids: string[] = []
  readonly #house: House
  /** All that belongs to it is known by it. */
  readonly #number: number
  readonly #sentIn: string[] = []
  /** Of each message, as what it is sent: the texts are plain. */
  readonly #parts = new Map<string, number>()

  constructor(house: House, number: number) {
    this.#house = house
    this.#number = number
  }

  async send(text: string): Promise<string> {
    const at = this.ids.length
    const id = `traffic-${this.#number}-${at}`
    const destination = `+447400${String(100_000 + this.#number * 20 + at)}`
    const whole = `${id} ${text}`
    this.#parts.set(id, whole.length <= 160 ? 1 : Math.ceil(whole.length / 153))
    const message = { id, phoneNumbers: [destination], textMessage: { text: whole } }
    const answer = await this.ask('POST', '/messages', message)
    // Without an answer nobody knows: it counts when it is there afterwards.
    if (answer === undefined || answer.status === 202) this.ids.push(id)
    return id
  }

  async receive(text: string): Promise<void> {
    const incoming = `in ${this.#number}-${this.#sentIn.length} ${text}`
    await this.#house.emulator.instruct('send-text', { from: '+447400900001', to: 'modem0', text: incoming })
    this.#sentIn.push(incoming)
  }

  ask(method: string, path: string, body?: object): Promise<ApiAnswer | undefined> {
    return this.#house.api.ask(method, path, body).catch(() => undefined)
  }

  /** When everything has ended, or should have. */
  async audit(limitMs = 180_000): Promise<Audit> {
    const found = { lost: [] as string[], twice: [] as string[], inDoubt: 0, problems: [] as string[] }
    for (const id of this.ids) {
      const known = await eventually(
        () => this.ask('GET', `/messages/${id}`),
        (answer) => answer !== undefined && answer.status < 500,
        limitMs,
      )
      // The relay was killed before it had said 202: nothing was promised.
      if (known?.status === 404) continue
      const message = await this.#house.api.until(id, isEnded, limitMs).catch((error: Error) => error.message)
      if (typeof message === 'string') found.problems.push(`${id} never ended: ${message.slice(0, 300)}`)
      else this.#judge(message, found)
    }
    await this.#auditInbound(found, limitMs)
    return found
  }

  #judge(
    { id, state, recipients }: MessageAnswer,
    found: { lost: string[]; twice: string[]; inDoubt: number; problems: string[] },
  ): void {
    const [recipient] = recipients
    const onAir = this.#house.emulator.ledger().filter(({ destination }) => destination === recipient?.phoneNumber)
    const pdus = new Set(onAir.map(({ pdu }) => pdu))
    const parts = this.#parts.get(id) ?? 1
    const error = recipient?.error ?? ''
    if (pdus.size !== onAir.length || onAir.length > parts) found.twice.push(id)
    if (state === 'Cancelled' && onAir.length > 0) found.problems.push(`${id} is told as cancelled, and was sent`)
    if (error.includes('submit_unknown')) found.inDoubt += 1
    else if (state === 'Failed') found.problems.push(`${id} failed: ${error}`)
    else if (state !== 'Cancelled' && pdus.size < parts) found.lost.push(id)
  }

  /** What came in so far, as the inbox tells it. */
  async untilReceived(limitMs = 180_000): Promise<readonly string[]> {
    const mine = async () => {
      const answer = await this.ask('GET', '/inbox?limit=100')
      const items = (answer?.json ?? []) as { text?: string }[]
      return items.flatMap(({ text }) => (text?.startsWith(`in ${this.#number}-`) ? [text] : []))
    }
    const isAll = (texts: readonly string[]) => new Set(texts).size >= this.#sentIn.length
    return await eventually(mine, isAll, limitMs).catch(mine)
  }

  async #auditInbound(found: { lost: string[]; problems: string[] }, limitMs: number): Promise<void> {
    const texts = await this.untilReceived(limitMs)
    found.lost.push(...this.#sentIn.filter((text) => !texts.includes(text)))
    if (new Set(texts).size !== texts.length) found.problems.push(`the inbox holds one twice: ${texts.join(', ')}`)
  }
}

function isEnded({ state }: MessageAnswer): boolean {
  return ['Sent', 'Delivered', 'Failed', 'Cancelled'].includes(state)
}
