import { expect } from 'vitest'
import { storeSims } from '../../../link/claim/store-sims-statement.ts'
import type { Called } from '../../../testing/call-url.ts'
import { type TestAccount, type TestRelay, testRelay } from '../../../testing/test-relay.ts'
import { accountSid, idOfSid, messageSid } from '../sid.ts'

/** The two devices of each account, with one SIM each. */
export const [ONE, OTHER] = ['1'.repeat(21), '2'.repeat(21)]
export const [FROM, OTHER_FROM, TO] = ['+447400000001', '+447400000002', '+447400123456']

export type Form = Readonly<Record<string, string>>

interface CallMore {
  readonly auth?: string | null
  readonly headers?: Form
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** Returns status and code of an answer. */
export async function codeOf(answer: Promise<Called>): Promise<[status: number, code: number]> {
  const { status, json } = await answer
  return [status, json.code]
}

/** A relay with a client for Twilio's interface, which uses the newest account. */
export class TwilioRelay {
  readonly relay: TestRelay
  #account: TestAccount

  private constructor(relay: TestRelay) {
    this.relay = relay
    this.#account = relay.account
  }

  static async start(settings: Form = {}): Promise<TwilioRelay> {
    return new TwilioRelay(await testRelay({ settings: { DEFAULT_REGION: 'GB', MAX_SEGMENTS: '10', ...settings } }))
  }

  get account(): TestAccount {
    return this.#account
  }

  get database() {
    return this.relay.database
  }

  /** Path of the messages without `.json`. */
  get messages(): string {
    return `/Accounts/${accountSid(this.#account.id)}/Messages`
  }

  async newAccount(): Promise<TestAccount> {
    this.#account = await this.relay.addAccount()
    await this.database.device.deleteMany()
    for (const [id, phoneNumber] of [
      [ONE, FROM],
      [OTHER, OTHER_FROM],
    ] as const) {
      const data = { id, accountId: this.#account.id, name: id, leaseUntil: new Date('2100-01-01') }
      await this.database.device.create({ data })
      await storeSims(this.database, id, [{ simNumber: 1, state: 'ready', phoneNumber }], new Date())
    }
    return this.#account
  }

  call(method: string, path: string, form?: Form, more: CallMore = {}): Promise<Called> {
    return this.relay.request(method, `/2010-04-01${path}`, {
      auth: more.auth === undefined ? this.#account.basic : more.auth,
      ...(form && { body: new URLSearchParams(form).toString() }),
      headers: { ...(form && FORM), ...more.headers },
    })
  }

  /** Calls an endpoint with this body, unchanged. */
  post(body: string, headers: Form = FORM): Promise<Called> {
    return this.relay.request('POST', `/2010-04-01${this.messages}.json`, { auth: this.#account.basic, body, headers })
  }

  create(form: Form = {}, more?: CallMore): Promise<Called> {
    return this.call('POST', `${this.messages}.json`, { To: TO, From: FROM, Body: 'Hello', ...form }, more)
  }

  async newKey(body: object): Promise<{ readonly id: string; readonly key: string }> {
    const options = { auth: this.#account.basic, body: { name: 'twilio', ...body } }
    const { status, json } = await this.relay.api('POST', '/keys', options)
    expect(status).toBe(201)
    return json
  }

  /** Ends the message with the reports that its device would send. */
  async finish(sid: string, state: 'Sent' | 'Delivered' | 'Failed', more: object = {}): Promise<void> {
    const at = new Date()
    const { messageKey } = await this.database.recipient.update({
      where: { cmdId: idOfSid(sid, 'SM') ?? '' },
      data: { state, ...(state !== 'Failed' && { sentAt: at }), ...more },
    })
    await this.database.message.update({ where: { key: messageKey }, data: { state, finishedAt: at } })
  }

  /** Stores a received message and returns its SID. */
  async receive(id: string, text = 'Answer', sender = TO): Promise<string> {
    const facts = { deviceId: ONE, type: 'SMS', sender, recipient: FROM, simNumber: 1, createdAt: new Date(), text }
    await this.database.inboxItem.create({ data: { accountId: this.#account.id, id, ...facts } })
    return messageSid(id)
  }
}
