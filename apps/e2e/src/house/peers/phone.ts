// A phone that follows the published description of the mobile API: it stores pulled messages on its disk, sends each
// message once, and repeats states until the relay has accepted them. The test kills it at any point and starts it
// again with the same disk.

/** The points at which a phone may be killed. */
export type DeathPoint = 'pulled' | 'taken' | 'confirmed' | 'sent' | 'reported'

interface Taken {
  readonly numbers: readonly string[]
  readonly text: string
  state: 'Pending' | 'Sent' | 'Cancelled'
  isReported: boolean
}

interface Pulled {
  readonly id: string
  readonly state: string
  readonly phoneNumbers: readonly string[]
  readonly message?: string
  readonly mmsMessage?: PulledMms
}

export interface PulledMms {
  readonly subject?: string
  readonly text?: string
  readonly attachments: readonly { readonly contentType: string; readonly name?: string; readonly data: string }[]
}

/** The data on the disk of the phone, which survives a kill. */
export class PhoneDisk {
  readonly messages = new Map<string, Taken>()
  /** The MMS that the phone has pulled, by message id. */
  readonly mms = new Map<string, PulledMms>()
  /** Messages that were sent, as `id number`. */
  readonly onAir: string[] = []
}

export interface PhoneOptions {
  readonly url: string
  readonly token: string
  readonly disk: PhoneDisk
  /** Returns true if the phone is killed at this point. */
  readonly dies?: (point: DeathPoint) => boolean
}

class Dead extends Error {}

export class Phone {
  readonly #options: PhoneOptions
  readonly #life = new AbortController()
  readonly notices: string[] = []
  #isWorking = false
  #isWorkDue = false

  constructor(options: PhoneOptions) {
    this.#options = options
    void this.#listen()
  }

  /** Registers with a username and password and returns id and token. */
  static async register(
    url: string,
    user: { readonly username: string; readonly password: string },
    name: string,
    more: { readonly capabilities?: readonly string[] } = {},
  ) {
    const basic = Buffer.from(`${user.username}:${user.password}`).toString('base64')
    const response = await fetch(`${url}/api/mobile/v1/device`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ name, ...more },
        simCards: [{ slotIndex: 0, simNumber: 1, phoneNumber: '+447700900777' }],
      }),
    })
    if (response.status !== 201) throw new Error(`registration: ${response.status} ${await response.text()}`)
    return (await response.json()) as { readonly id: string; readonly token: string; readonly login: string }
  }

  get isAlive(): boolean {
    return !this.#life.signal.aborted
  }

  kill(): void {
    this.#life.abort()
  }

  async upload(messages: readonly object[]): Promise<number> {
    return (await this.#call('POST', '/inbox', messages)).status
  }

  async #listen(): Promise<void> {
    while (this.isAlive) {
      try {
        const response = await this.#call('GET', '/events')
        void this.#work()
        let text = ''
        for await (const chunk of response.body ?? []) {
          text += Buffer.from(chunk).toString()
          const blocks = text.split('\n\n')
          text = blocks.pop() ?? ''
          for (const block of blocks) this.#noticed(block)
        }
      } catch {
        // Ignores the error: if the relay is unavailable, a phone waits a few seconds and connects again.
      }
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }

  #noticed(block: string): void {
    const event = /^event: (\w+)$/m.exec(block)?.[1]
    if (event === undefined) return
    this.notices.push(event)
    void this.#work()
  }

  async #work(): Promise<void> {
    this.#isWorkDue = true
    if (this.#isWorking) return
    this.#isWorking = true
    try {
      while (this.#isWorkDue && this.isAlive) {
        this.#isWorkDue = false
        await this.#pull()
        await this.#sendTaken()
      }
    } catch (error) {
      if (error instanceof Dead) this.kill()
      else setTimeout(() => this.isAlive && void this.#work(), 200)
    } finally {
      this.#isWorking = false
    }
  }

  async #pull(): Promise<void> {
    const response = await this.#call('GET', '/message?order=fifo')
    if (!response.ok) throw new Error(`pull: ${response.status}`)
    const pulled = (await response.json()) as Pulled[]
    if (pulled.length > 0) this.#mayDie('pulled')
    const { messages } = this.#options.disk
    for (const { id, state, phoneNumbers: numbers, message: text = '', mmsMessage } of pulled) {
      if (mmsMessage) this.#options.disk.mms.set(id, mmsMessage)
      const known = messages.get(id)
      if (state === 'Cancelling') {
        if (known?.state !== 'Sent') messages.set(id, { numbers, text, state: 'Cancelled', isReported: false })
        else known.isReported = false
      } else if (known === undefined) messages.set(id, { numbers, text, state: 'Pending', isReported: false })
      // Reports the state again: the relay returns a message again if the report of its state was lost.
      else known.isReported = false
    }
    if (pulled.length > 0) this.#mayDie('taken')
    await this.#reportAll()
    if (pulled.length > 0) this.#mayDie('confirmed')
  }

  async #sendTaken(): Promise<void> {
    const { messages, onAir } = this.#options.disk
    for (const [id, taken] of messages) {
      if (taken.state !== 'Pending') continue
      // Sends and records a message in one step, so that radio and disk of the phone agree.
      onAir.push(...taken.numbers.map((number) => `${id} ${number}`))
      taken.state = 'Sent'
      taken.isReported = false
      this.#mayDie('sent')
    }
    await this.#reportAll()
  }

  async #reportAll(): Promise<void> {
    const open = [...this.#options.disk.messages].filter(([, { isReported }]) => !isReported)
    if (open.length === 0) return
    const at = new Date().toISOString()
    const body = open.map(([id, { state, numbers }]) => ({
      ...{ id, state, states: { [state]: at } },
      recipients: numbers.map((phoneNumber) => ({ phoneNumber, state })),
    }))
    const states = open.map(([, { state }]) => state)
    const { status } = await this.#call('PATCH', '/message', body)
    if (status !== 204) throw new Error(`report: ${status}`)
    this.#mayDie('reported')
    for (const [index, [, taken]] of open.entries()) if (taken.state === states[index]) taken.isReported = true
  }

  #mayDie(point: DeathPoint): void {
    if (!this.#options.dies?.(point)) return
    this.kill()
    throw new Dead(point)
  }

  #call(method: string, path: string, body?: unknown): Promise<Response> {
    const { url, token } = this.#options
    return fetch(`${url}/api/mobile/v1${path}`, {
      method,
      signal: this.#life.signal,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }
}
