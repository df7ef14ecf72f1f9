import type { Scope } from '@smsgw/contract/access/scopes'
import { callUrl } from '../../testing/call-url.ts'
import { type TestRelay, type TestRelayOptions, testRelay } from '../../testing/test-relay.ts'

export const DEVICE = 'd'.repeat(21)

export interface FacadeRelay extends TestRelay {
  createKey(options?: { readonly limits?: object; readonly scopes?: readonly Scope[] }): Promise<string>
  /** Sends a form. The only credentials are those in the form. */
  postForm(path: string, form: Readonly<Record<string, string>> | string): ReturnType<typeof callUrl>
  /** The accepted messages, oldest first. */
  accepted(): Promise<readonly AcceptedMessage[]>
}

interface AcceptedMessage {
  readonly id: string
  readonly textMessage: { readonly text: string }
  readonly recipients: readonly { readonly phoneNumber: string }[]
  readonly sentBy: object
  readonly [member: string]: unknown
}

/** Starts a relay whose account has a device with two SIMs. */
export async function facadeRelay(options?: TestRelayOptions): Promise<FacadeRelay> {
  const relay = await testRelay(options)
  const { database, account } = relay
  await database.device.create({
    data: { id: DEVICE, accountId: account.id, name: 'pi', leaseUntil: new Date('2100-01-01') },
  })
  for (const simNumber of [1, 2])
    await database.simCard.create({ data: { deviceId: DEVICE, simNumber, state: 'ready' } })
  return {
    ...relay,
    async createKey({ limits, scopes = ['messages:send'] } = {}) {
      const { json } = await relay.api('POST', '/keys', { body: { name: 'alerts', scopes, ...(limits && { limits }) } })
      return json.key
    },
    postForm: (path, form) =>
      callUrl('POST', relay.url + path, {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
      }),
    accepted: async () => (await relay.api('GET', '/messages?includeContent=true&sort=created_at&limit=100')).json,
  }
}
