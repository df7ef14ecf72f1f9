import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callUrl } from '../../testing/call-url.ts'
import { type RelayProcess, startRelayProcess } from '../../testing/relay-process.ts'
import { useTestDatabase } from '../../testing/test-database.ts'

const MESSAGES = 40
const PASSWORD = randomBytes(12).toString('base64url')
const auth = `Basic ${Buffer.from(`sms:${PASSWORD}`).toString('base64')}`
const db = useTestDatabase()
const relays: RelayProcess[] = []

beforeAll(async () => {
  const settings = {
    DATABASE_URL: db.url,
    SERVER_SECRET: randomBytes(32).toString('base64'),
    ADMIN_USERNAME: 'sms',
    ADMIN_PASSWORD: PASSWORD,
  }
  relays.push(...(await Promise.all([settings, settings].map(startRelayProcess))))
  const { id: accountId } = await db.database.account.findFirstOrThrow()
  await db.database.device.create({ data: { id: 'd'.repeat(21), accountId, name: 'device' } })
}, 60_000)

afterAll(async () => {
  for (const { kill } of relays) kill('SIGTERM')
  await Promise.all(relays.map(({ ended }) => ended))
})

const ask = (relay: number, method: string, path: string, options: { auth?: string; body?: unknown } = {}) =>
  callUrl(method, `${relays[relay % 2]?.url}/3rdparty/v1${path}`, { auth, ...options })

test('of an approval, a refusal and a cancel at two relays at the same time, exactly one decides each message', async () => {
  const limits = { approval: 'required' }
  const { json: key } = await ask(0, 'POST', '/keys', { body: { name: 'bot', scopes: ['messages:send'], limits } })
  const ids = await Promise.all(
    Array.from({ length: MESSAGES }, async (_, index) => {
      const body = { phoneNumbers: ['+4915112345678', '+4915112345679'], textMessage: { text: `${index}` } }
      return (await ask(index, 'POST', '/messages', { auth: `Bearer ${key.key}`, body })).json.id as string
    }),
  )
  const outcomes = new Set<string>()
  await Promise.all(
    ids.map(async (id, index) => {
      const race = [
        ['approved', 'POST', `/messages/${id}/approve`],
        ['refused', 'POST', `/messages/${id}/refuse`],
        ['approved', 'POST', `/messages/${id}/approve`],
        ['refused', 'POST', `/messages/${id}/refuse`],
        ...(index % 2 ? [['cancelled', 'DELETE', `/messages/${id}`] as const] : []),
      ] as const
      // Each message has another order, and each relay gets each request.
      const order = race.map((_, at) => race[(at + index) % race.length] ?? race[0])
      const answers = await Promise.all(
        order.map(async ([name, method, path], at) => [name, (await ask(at + index, method, path)).status] as const),
      )
      const won = new Set(answers.flatMap(([name, status]) => (status === 200 ? [name] : [])))
      const { state, approval } = await db.database.message.findFirstOrThrow({ where: { id } })
      // An approved message can still be cancelled.
      if (state === 'Cancelled') expect(won).toContain('cancelled')
      else expect([...won]).toEqual([approval])
      expect(won.has('approved') && won.has('refused')).toBe(false)
      const states = { approved: 'Pending', refused: 'Failed', pending: 'Cancelled' }
      if (state !== 'Cancelled') expect(state).toBe(states[approval as keyof typeof states])
      const recipients = await db.database.recipient.findMany({ where: { message: { id } } })
      expect(recipients.map((recipient) => recipient.state)).toEqual([state, state])
      for (const { notBefore } of recipients)
        expect((notBefore?.getUTCFullYear() ?? 0) === 9999).toBe(approval !== 'approved')
      outcomes.add(`${approval} ${state}`)
    }),
  )
  // The race is one only if both sides win sometimes.
  expect(outcomes.size).toBeGreaterThan(1)
}, 60_000)
