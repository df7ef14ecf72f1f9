import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type TestRelay, testRelay } from '../testing/test-relay.ts'
import { testPhone } from './testing/test-phone.ts'

const MAX_PHONES = 3
let relay: TestRelay
beforeAll(async () => {
  relay = await testRelay({ settings: { MAX_PHONES: String(MAX_PHONES) } })
})
afterAll(() => relay.close())

const register = (auth: string) => relay.request('POST', '/mobile/v1/device', { auth, body: { name: 'Pixel' } })

test('concurrent registrations do not exceed the limit of the account, and only phones count', async () => {
  const { id: accountId, basic } = await relay.addAccount()
  const at = new Date()
  const agent = { id: 'a'.repeat(21), accountId, name: 'office', publicKey: 'key', createdAt: at, updatedAt: at }
  await relay.database.device.create({ data: { ...agent, lastSeen: at } })
  const answers = await Promise.all(Array.from({ length: 2 * MAX_PHONES }, () => register(basic)))
  const statuses = answers.map(({ status }) => status).sort()
  expect(statuses).toEqual([...Array(MAX_PHONES).fill(201), ...Array(MAX_PHONES).fill(409)])
  expect(answers.find(({ status }) => status === 409)?.json).toMatchObject({ code: 409, message: expect.any(String) })
  const phones = { accountId, phoneTokenHash: { not: null } }
  expect(await relay.database.device.count({ where: phones })).toBe(MAX_PHONES)
})

test('a deleted phone makes room for another phone, and accounts have separate limits', async () => {
  const [full, other] = [await relay.addAccount(), await relay.addAccount()]
  const phones = []
  for (let count = 0; count < MAX_PHONES; count += 1) phones.push(await testPhone(relay, full))
  expect((await register(full.basic)).status).toBe(409)
  expect((await register(other.basic)).status).toBe(201)
  await relay.api('DELETE', `/devices/${phones[0]?.id}`, { auth: full.basic })
  expect((await register(full.basic)).status).toBe(201)
  expect((await register(full.basic)).status).toBe(409)
})

test('a code stays valid when the limit refuses its registration', async () => {
  const { basic } = await relay.addAccount()
  for (let count = 0; count < MAX_PHONES; count += 1) await register(basic)
  const { code } = (await relay.request('GET', '/mobile/v1/user/code', { auth: basic })).json
  expect((await register(`Code ${code}`)).status).toBe(409)
  const [phone] = (await relay.api('GET', '/devices', { auth: basic })).json
  await relay.api('DELETE', `/devices/${phone.id}`, { auth: basic })
  expect((await register(`Code ${code}`)).status).toBe(201)
})

test('of concurrent streams of a phone, only one stays open', async () => {
  const phone = await testPhone(relay, await relay.addAccount())
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const open = async () => {
    const headers = { authorization: `Bearer ${phone.token}` }
    const response = await fetch(`${relay.url}/mobile/v1/events`, { headers, signal: abort.signal })
    const stream = { status: response.status, isOver: false }
    response
      .text()
      .catch(() => undefined)
      .finally(() => {
        stream.isOver = true
      })
    return stream
  }
  const streams = await Promise.all(Array.from({ length: 10 }, open))
  expect(streams.map(({ status }) => status)).toEqual(Array(10).fill(200))
  await expect.poll(() => streams.filter(({ isOver }) => isOver).length).toBe(9)
})
