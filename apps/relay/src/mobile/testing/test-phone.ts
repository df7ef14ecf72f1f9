import type { TestAccount, TestRelay } from '../../testing/test-relay.ts'

interface PulledMessage {
  readonly id: string
  readonly state: 'Pending' | 'Cancelling'
  readonly phoneNumbers: readonly string[]
  readonly textMessage?: { readonly text: string }
}

export interface TestPhone {
  readonly id: string
  readonly token: string
  call(method: string, path: string, body?: unknown): ReturnType<TestRelay['request']>
  pull(): Promise<readonly PulledMessage[]>
  /** Reports one state for all recipients of a message. */
  report(id: string, state: string, more?: object): Promise<number>
}

/** Registers a phone with the password of an account. */
export async function testPhone(
  relay: TestRelay,
  account: TestAccount = relay.account,
  more: { readonly capabilities?: readonly string[]; readonly pushToken?: string } = {},
): Promise<TestPhone> {
  const simCards = [{ slotIndex: 0, simNumber: 1, phoneNumber: '+12025550100' }]
  const { status, json } = await relay.request('POST', '/mobile/v1/device', {
    auth: account.basic,
    body: { name: 'Pixel', simCards, ...more },
  })
  if (status !== 201) throw new Error(`the phone was not registered: ${status} ${JSON.stringify(json)}`)
  const { id, token } = json as { id: string; token: string }
  const call: TestPhone['call'] = (method, path, body) =>
    relay.request(method, `/mobile/v1${path}`, { auth: `Bearer ${token}`, ...(body !== undefined && { body }) })
  return {
    id,
    token,
    call,
    pull: async () => (await call('GET', '/message')).json as PulledMessage[],
    report: async (messageId, state, more = {}) =>
      (await call('PATCH', '/message', [{ id: messageId, state, ...more }])).status,
  }
}
