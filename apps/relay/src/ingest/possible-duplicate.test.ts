import type { AgentEvent } from '@smsgw/contract/link/event'
import { beforeEach, expect, test } from 'vitest'
import { type DispatchWorld, dispatchWorld } from '../link/testing/dispatch-world.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { recordEvents } from './record-events.ts'

const store = useTestDatabase()
let world: DispatchWorld

beforeEach(async () => {
  world = await dispatchWorld(store.database)
})

const at = '2026-03-01T19:00:00.000+07:00'
const possibleDuplicate = true

test('a message that was sent again is marked as a possible duplicate, and so are its later webhook events', async () => {
  for (const event of ['sms:sent', 'sms:delivered', 'sms:failed']) await world.webhook(event)
  for (const id of ['m', 'n']) await world.message(id, { journal: 'journal' })
  const { connection } = await world.connect()
  const events: AgentEvent[] = [
    { kind: 'waiting', cmdId: 'm/0', at, code: 'retrying', reason: 'sent again as requested', possibleDuplicate },
    { kind: 'sent', cmdId: 'm/0', at, simNumber: 1, parts: 1 },
    { kind: 'delivered', cmdId: 'm/0', at, simNumber: 1 },
    { kind: 'failed', cmdId: 'n/0', at, code: 'submit_unknown', reason: 'outcome unknown', possibleDuplicate },
  ]
  const batch = { connection, from: 1, skipped: 0, tag: 'tag 4', events: events.map((event) => ({ event })) }
  await recordEvents(store.database, [batch], world.now)
  expect(await world.recipient('m/0')).toMatchObject({ state: 'Delivered', possibleDuplicate })
  expect(await world.recipient('n/0')).toMatchObject({ state: 'Failed', possibleDuplicate })
  const rows = await store.database.webhookDelivery.findMany({ orderBy: { event: 'asc' } })
  const marked = expect.objectContaining({ possibleDuplicate })
  expect(rows.map(({ event, payload }) => [event, payload])).toEqual([
    ['sms:delivered', marked],
    ['sms:failed', marked],
    ['sms:sent', marked],
  ])
})
