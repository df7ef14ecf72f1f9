import { type ApiAnswer, eventually, type MessageAnswer } from './api-client.ts'
import type { LedgerLine } from './emulator.ts'
import type { House } from './house.ts'

export interface Audit {
  readonly lost: readonly string[]
  readonly twice: readonly string[]
  /** The number of messages that ended as `submit_unknown` and were not sent again. */
  readonly inDoubt: number
  readonly problems: readonly string[]
}

interface Sent {
  readonly id: string
  readonly destination: string
  readonly text: string
  /** True if the relay answered 202. If it did not answer, it is unknown whether the message was accepted. */
  readonly isPromised: boolean
  isCancelled: boolean
}

/** The findings so far. */
interface Findings {
  readonly lost: string[]
  readonly twice: string[]
  inDoubt: number
  readonly problems: string[]
}

/** The sent and received messages of one test. Compares the states of the API with the ledger. */
export class Traffic {
  readonly #house: House
  /** Marks all messages of this test. */
  readonly #number: number
  readonly #sent: Sent[] = []
  readonly #sentIn: string[] = []
  readonly #refusals: string[] = []

  constructor(house: House, number: number) {
    this.#house = house
    this.#number = number
  }

  async send(text: string): Promise<void> {
    const at = this.#sent.length
    const id = `traffic-${this.#number}-${at}`
    const destination = `+447400${String(100_000 + this.#number * 20 + at)}`
    const whole = `${id} ${text}`
    const answer = await this.#ask('POST', '/messages', {
      id,
      phoneNumbers: [destination],
      textMessage: { text: whole },
    })
    this.#sent.push({ id, destination, text: whole, isPromised: answer?.status === 202, isCancelled: false })
    // Accepts 503, which means that the message cannot be stored now, for example because the database is unavailable.
    // Other errors are faults.
    if (answer !== undefined && ![202, 503].includes(answer.status))
      this.#refusals.push(`${id} was answered with ${answer.status}`)
  }

  async cancelLast(): Promise<void> {
    const last = this.#sent.at(-1)
    if (last === undefined) return
    last.isCancelled = true
    await this.#ask('DELETE', `/messages/${last.id}`)
  }

  /** Waits until the device has stored the last message. */
  async untilLastTaken(): Promise<void> {
    const id = this.#sent.at(-1)?.id ?? ''
    await this.#house.api.until(id, ({ state }) => state !== 'Pending')
  }

  async receive(text: string): Promise<void> {
    const incoming = `in ${this.#number}-${this.#sentIn.length} ${text}`
    await this.#house.emulator.instruct('send-text', { from: '+447400900001', to: 'modem0', text: incoming })
    this.#sentIn.push(incoming)
  }

  #ask(method: string, path: string, body?: object): Promise<ApiAnswer | undefined> {
    return this.#house.api.ask(method, path, body).catch(() => undefined)
  }

  /** Waits until all messages have ended, then compares them with the ledger. */
  async audit(limitMs = 180_000): Promise<Audit> {
    const found: Findings = { lost: [], twice: [], inDoubt: 0, problems: [...this.#refusals] }
    for (const sent of this.#sent) {
      // Retries, because a relay that is restarting or has no database does not answer.
      const answer = await eventually(
        () => this.#ask('GET', `/messages/${sent.id}`),
        (given) => given?.status === 404 || (given?.status === 200 && isEnded(given.json)),
        limitMs,
      ).catch((error: Error) => error.message)
      if (typeof answer === 'string') found.problems.push(`${sent.id} never ended: ${answer.slice(0, 300)}`)
      else if (answer?.status === 404) this.#judgeUnknown(sent, found)
      else if (answer !== undefined) this.#judge(sent, answer.json, found)
    }
    await this.#auditInbound(found, limitMs)
    return found
  }

  /** Checks a message that the API does not know. If it was not accepted, it must not have been sent. */
  #judgeUnknown({ id, destination, isPromised }: Sent, found: Findings): void {
    if (isPromised) found.lost.push(id)
    if (this.#onAir(destination).length > 0) found.problems.push(`${id} is unknown to the API, but was sent`)
  }

  #judge({ id, destination, text, isCancelled }: Sent, { state, recipients }: MessageAnswer, found: Findings): void {
    const onAir = this.#onAir(destination)
    const parts = onAir.map(({ part }) => part?.sequence ?? 1)
    const [{ error = '', errorCode = '' } = {}] = recipients
    if (new Set(parts).size !== parts.length) found.twice.push(id)
    if (state === 'Cancelled') {
      if (!isCancelled) found.problems.push(`${id} is reported as cancelled without a request to cancel`)
      if (onAir.length > 0) found.problems.push(`${id} is reported as cancelled, but was sent`)
    } else if (errorCode === 'submit_unknown') found.inDoubt += 1
    else if (state === 'Failed') found.problems.push(`${id} failed: ${error}`)
    else if (textOf(onAir) !== text) found.lost.push(id)
  }

  #onAir(to: string): readonly LedgerLine[] {
    return this.#house.emulator.ledger().filter(({ destination }) => destination === to)
  }

  /** Waits until the messages are in the inbox. */
  async untilReceived(limitMs = 180_000): Promise<readonly string[]> {
    const mine = async () => {
      const answer = await this.#ask('GET', '/inbox?limit=100')
      const items = (answer?.json ?? []) as { text?: string }[]
      return items.flatMap(({ text }) => (text?.startsWith(`in ${this.#number}-`) ? [text] : []))
    }
    const isAll = (texts: readonly string[]) => new Set(texts).size >= this.#sentIn.length
    return await eventually(mine, isAll, limitMs).catch(mine)
  }

  async #auditInbound(found: Findings, limitMs: number): Promise<void> {
    const texts = await this.untilReceived(limitMs)
    found.lost.push(...this.#sentIn.filter((text) => !texts.includes(text)))
    if (new Set(texts).size !== texts.length)
      found.problems.push(`the inbox contains a message twice: ${texts.join(', ')}`)
  }
}

/** Returns the text that a phone shows for a message with all its parts. */
function textOf(lines: readonly LedgerLine[]): string | undefined {
  const [first] = lines
  const isOne = lines.every(({ part }) => part?.reference === first?.part?.reference)
  if (!isOne || lines.length !== (first?.part?.total ?? 1)) return undefined
  const inOrder = lines.toSorted((one, other) => (one.part?.sequence ?? 1) - (other.part?.sequence ?? 1))
  return inOrder.map(({ text }) => text).join('')
}

function isEnded({ state }: MessageAnswer): boolean {
  return ['Sent', 'Delivered', 'Failed', 'Cancelled'].includes(state)
}
