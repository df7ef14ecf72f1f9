import { Agent, type ClientRequest, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchRelays } from '../bench-relays.ts'

/** A phone that is connected to `GET /events`. It pulls its messages when `pull` is called. */
export class SsePhone {
  readonly id: string
  readonly #url: string
  readonly #token: string
  #stream: ClientRequest | undefined
  #isStopped = false
  #onNotice: (() => void) | undefined

  private constructor(url: string, { id, token }: { readonly id: string; readonly token: string }) {
    this.id = id
    this.#url = `${url}/api/mobile/v1`
    this.#token = token
  }

  /**
   * Registers a phone and connects it. Its address is derived from `number`, so that each phone has a different
   * address.
   */
  static async connect({ urls, auth }: BenchRelays, number: number): Promise<SsePhone> {
    const url = urls[0] ?? ''
    const register = () =>
      fetch(`${url}/api/mobile/v1/device`, {
        method: 'POST',
        headers: { authorization: auth, 'content-type': 'application/json', ...addressOf(number) },
        body: JSON.stringify({ name: `phone ${number}`, simCards: [{ slotIndex: 0, simNumber: 1 }] }),
      })
    let response = await register()
    // A busy relay asks the phone to try again.
    while (response.status === 503) {
      await sleep(1_000)
      response = await register()
    }
    if (response.status !== 201) throw new Error(`a phone was refused: ${await response.text()}`)
    const phone = new SsePhone(url, (await response.json()) as { id: string; token: string })
    await phone.#listen(number)
    return phone
  }

  /** Resolves with the next notice of a message. */
  nextNotice(): Promise<void> {
    return new Promise((resolve) => {
      this.#onNotice = resolve
    })
  }

  /** Returns the ids of the messages that the phone has to send. */
  async pull(): Promise<readonly string[]> {
    const response = await fetch(`${this.#url}/message`, {
      headers: { authorization: `Bearer ${this.#token}`, ...addressOf(0) },
    })
    if (response.status !== 200) throw new Error(`a pull was refused: ${await response.text()}`)
    return ((await response.json()) as { id: string }[]).map(({ id }) => id)
  }

  stop(): void {
    this.#isStopped = true
    this.#stream?.destroy()
  }

  #listen(number: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${this.#token}`, ...addressOf(number) }
      const stream = request(`${this.#url}/events`, { agent: ownSockets, headers }, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`a stream was refused: ${response.statusCode}`))
        resolve()
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          if (chunk.includes('event: MessageEnqueued')) this.#onNotice?.()
        })
        // Fails, because a phone that has lost its stream would make the measurement wrong.
        response.on('close', () => {
          if (!this.#isStopped) throw new Error('the relay closed the stream of a phone')
        })
      })
      stream.on('error', reject)
      stream.end()
      this.#stream = stream
    })
  }
}

const ownSockets = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

function addressOf(number: number) {
  return { 'x-forwarded-for': `10.1.${number >> 8}.${number & 255}`, 'x-forwarded-proto': 'https' }
}
