import type { VirtualPhoneText } from '@smsgw/contract/devices/virtual-phone'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { route } from '../http/route.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../testing/test-endpoints.ts'
import { sendFromVirtualPhone, showVirtualPhone, type VirtualPhone } from './virtual-phone.ts'

const written: VirtualPhoneText[] = []
const seen = { gatewayNumber: '+447700900001', phones: [], messages: [], testNumbers: [] }
const phone: VirtualPhone = { look: () => seen, write: (message) => void written.push(message) }
const shared = useTestDatabase()
let api: TestEndpoints
let without: TestEndpoints
beforeAll(async () => {
  for (const id of ['owner', 'other']) {
    await shared.database.account.create({ data: { id, username: id, passwordHash: '' } })
    await shared.database.device.create({
      data: { id: id.padEnd(21, '-'), accountId: id, name: 'gateway', builtIn: id === 'owner' },
    })
  }
  api = await serve(phone)
  without = await serve(undefined)
})
afterAll(async () => {
  await api.close()
  await without.close()
})

function serve(virtualPhone: VirtualPhone | undefined): Promise<TestEndpoints> {
  const deps = { database: shared.database, virtualPhone }
  return testEndpoints([
    route('GET', '/virtual-phone', 'messages:list', '', showVirtualPhone(deps)),
    route('POST', '/virtual-phone', 'messages:send', '', sendFromVirtualPhone(deps)),
  ])
}

test('the owner of the virtual modem sees its phones and can send from each of them', async () => {
  expect(await api.request('owner', 'GET', '/virtual-phone')).toMatchObject({ status: 200, json: seen })
  const message = { from: '+447400123456', text: 'Hello' }
  expect(await api.request('owner', 'POST', '/virtual-phone', message)).toMatchObject({ status: 202, json: {} })
  expect(written).toEqual([message])
})

test('without a virtual modem, or for another account, the virtual phone does not exist', async () => {
  const before = written.length
  for (const [served, account] of [
    [without, 'owner'],
    [api, 'other'],
  ] as const) {
    for (const [method, body] of [['GET'], ['POST', { from: '+447400123456', text: 'Hello' }]] as const) {
      const { status, json } = await served.request(account, method, '/virtual-phone', body)
      expect([status, (json as { message: string }).message]).toEqual([
        404,
        expect.stringMatching(/^This account has no virtual modem/),
      ])
    }
  }
  expect(written).toHaveLength(before)
})

test.each([
  { from: 'nobody', text: 'Hello' },
  { from: '+44 7400 123456', text: 'Hello' },
  { from: '+447400123456', text: '' },
  { from: '+447400123456', text: 'x'.repeat(1_001) },
  { text: 'Hello' },
])('a message that no phone could send is refused: %o', async (message) => {
  const before = written.length
  expect((await api.request('owner', 'POST', '/virtual-phone', message)).status).toBe(400)
  expect(written).toHaveLength(before)
})
