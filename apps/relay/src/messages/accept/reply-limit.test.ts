// Shows that the hourly limit of replies to one number is exact, even if many relays reply at the same time.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useTestDatabase } from '../../testing/test-database.ts'
import { hashBatch } from '../hash-batch-statement.ts'
import { testMessage } from '../testing/new-message.ts'
import { acceptWithinLimits } from './accept-within-limits.ts'

const db = useTestDatabase()
const NUMBERS = ['+4915112345678', '+4915112345679']
const now = new Date('2026-03-01T12:00:00.000Z')

beforeEach(async () => {
  await db.database.account.create({ data: { id: 'account', username: 'account', passwordHash: '' } })
  await db.database.device.create({ data: { id: 'device', accountId: 'account', name: 'device' } })
})
afterEach(() => db.database.account.deleteMany())

function reply(id: string, number: string | undefined = NUMBERS[0], createdAt = now) {
  const recipients = [{ cmdId: randomUUID(), phoneNumber: number ?? '' }]
  const idempotency = { key: id, fingerprint: new Uint8Array(32) }
  return testMessage(id, { recipients, createdAt, idempotency, sentBy: { kind: 'webhook', repliesPerHour: 10 } })
}

const counts = () => Promise.all(NUMBERS.map((phoneNumber) => db.database.recipient.count({ where: { phoneNumber } })))

test('several relays together send each number as many replies as the limit allows, and repeated replies do not count', async () => {
  const relays = Array.from({ length: 4 }, () => acceptWithinLimits(db.database))
  const outcomes = await Promise.all(
    Array.from({ length: 160 }, (_, index) => {
      const id = index % 80
      // Each reply is requested a second time, from the next relay.
      const accept = relays[((id >> 1) + Math.floor(index / 80)) % relays.length] as (typeof relays)[number]
      return accept(reply(`r${id}`, NUMBERS[id % 2]))
    }),
  )
  expect(await counts()).toEqual([10, 10])
  const kinds = outcomes.map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'accepted')).toHaveLength(20)
  expect(new Set(kinds)).toEqual(new Set(['accepted', 'repeated', 'over-reply-limit']))
})

test('counts hashed replies, but neither older replies nor other messages', async () => {
  const accept = acceptWithinLimits(db.database)
  const at = (minutes: number) => new Date(now.getTime() + minutes * 60_000)
  for (let index = 0; index < 10; index += 1) {
    await accept(reply(`r${index}`))
    await accept(testMessage(`m${index}`))
  }
  await db.database.message.updateMany({ data: { state: 'Sent', finishedAt: now } })
  await hashBatch(db.database, now, 100)
  expect(await counts()).toEqual([0, 0])
  expect(await accept(reply('r10', NUMBERS[0], at(59)))).toEqual({ kind: 'over-reply-limit' })
  expect((await accept(reply('r9', NUMBERS[0], at(59)))).kind).toBe('repeated')
  expect(await accept(reply('r11', NUMBERS[0], at(61)))).toEqual({ kind: 'accepted' })
})
