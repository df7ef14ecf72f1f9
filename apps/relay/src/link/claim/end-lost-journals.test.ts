import { beforeEach, expect, test } from 'vitest'
import type { Move } from '../../messages/progress/message-progress.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { type DispatchWorld, dispatchWorld } from '../testing/dispatch-world.ts'
import { endLostJournals } from './lose-messages.ts'

const store = useTestDatabase()
let world: DispatchWorld

beforeEach(async () => {
  world = await dispatchWorld(store.database)
})

const windowMs = 15 * 60_000

test('messages of a lost journal end as submit_unknown after the window, but other messages do not', async () => {
  await world.webhook('sms:failed')
  await world.connect()
  await world.message('doubtful', { journal: 'journal' })
  await world.message('waiting')
  world.pass(3600)
  await world.connect({ journalId: 'next' })
  await world.message('with the next', { journal: 'next' })
  world.pass(15 * 60 - 1)
  expect(await endLostJournals(store.database, windowMs, world.now)).toBe(0)
  world.pass(1)
  expect(await endLostJournals(store.database, windowMs, world.now)).toBe(1)
  expect(await world.recipient('doubtful/0')).toMatchObject({ state: 'Failed', error: 'submit_unknown' })
  expect(await world.messageState('waiting')).toBe('Pending')
  expect(await world.messageState('with the next')).toBe('Pending')
  expect(await world.outbox()).toEqual(['sms:failed doubtful'])
})

test('the end of such messages is reported for the metrics', async () => {
  await world.connect()
  await world.message('doubtful', { journal: 'journal' })
  await world.connect({ journalId: 'next' })
  world.pass(15 * 60)
  const moves: Move[] = []
  await endLostJournals(store.database, windowMs, world.now, (ended) => moves.push(...ended))
  expect(moves).toMatchObject([{ to: 'Failed' }])
})
