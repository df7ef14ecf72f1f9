import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { route } from '../http/route.ts'
import { systemRandom } from '../random.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../testing/test-endpoints.ts'
import { examineDevice } from './examine-device.ts'

const now = new Date('2026-03-01T09:00:00.000Z')
const DEVICE = 'Xk2Zt7vQ9sLrB4mNdP1aW'
const shared = useTestDatabase()
let api: TestEndpoints
beforeAll(async () => {
  const hints = { wake: () => undefined, listen: () => () => undefined }
  const deps = { database: shared.database, clock: { now: () => now }, random: systemRandom, hints, limitMs: 50 }
  api = await testEndpoints([route('POST', '/devices/{id}/findings', 'devices:write', '', examineDevice(deps))])
})
afterAll(() => api.close())
beforeEach(async () => {
  const leaseUntil = new Date(now.getTime() + 1000)
  const devices = { create: { id: DEVICE, name: 'Pi', leaseUntil } }
  await shared.database.account.create({ data: { id: 'a1', username: 'a1', passwordHash: '', devices } })
})
afterEach(() => shared.database.account.deleteMany())

test('a request to an agent that does not answer ends, and the command is deleted', async () => {
  const { status, json } = await api.request('a1', 'POST', `/devices/${DEVICE}/findings`)
  expect([status, (json as { message: string }).message]).toEqual([504, expect.stringContaining('did not answer')])
  expect(await shared.database.deviceCommand.count()).toBe(0)
})
