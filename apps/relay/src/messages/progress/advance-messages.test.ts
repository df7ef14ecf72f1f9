import type { SimCard } from '@smsgw/contract/link/event'
import { beforeEach, describe, expect, test } from 'vitest'
import { type DispatchWorld, dispatchWorld } from '../../link/testing/dispatch-world.ts'
import { someoneWaits } from '../../testing/someone-waits.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { advanceMessages } from './advance-messages.ts'
import type { RecipientUpdate } from './message-progress.ts'
import type { RecipientInput } from './message-state.ts'

const store = useTestDatabase()
let world: DispatchWorld

beforeEach(async () => {
  world = await dispatchWorld(store.database)
  for (const event of ['sms:sent', 'sms:delivered', 'sms:failed', 'sms:cancelled']) await world.webhook(event)
})

const at = new Date('2026-03-01T12:00:00.000Z')
const later = (seconds: number) => new Date(at.getTime() + seconds * 1000)
const update = (cmdId: string, kind: 'processed' | 'sent' | 'delivered' | 'cancel-requested' | 'cancelled') =>
  ({ accountId: 'account', cmdId, input: { kind, at } }) satisfies RecipientUpdate

function advance(...updates: RecipientUpdate[]) {
  return store.database.$transaction((statements) => advanceMessages(statements, updates, world.now))
}

test('several reports for one recipient store each time and one webhook event for each state', async () => {
  await world.message('m', { journal: 'j' })
  await advance(update('m/0', 'processed'), { ...update('m/0', 'sent'), simNumber: 2, sender: '+491', parts: 3 })
  await advance(update('m/0', 'sent'), update('m/0', 'delivered'), update('m/0', 'delivered'))
  expect(await world.recipient('m/0')).toMatchObject({
    state: 'Delivered',
    processedAt: at,
    sentAt: at,
    deliveredAt: at,
    usedSimNumber: 2,
    senderNumber: '+491',
    partsCount: 3,
  })
  const message = await store.database.message.findFirstOrThrow()
  expect(message).toMatchObject({ state: 'Delivered', processedAt: at, sentAt: at, deliveredAt: at })
  expect(message.finishedAt).toEqual(world.now)
  expect(await world.outbox()).toEqual(['sms:sent m', 'sms:delivered m'])
})

test('times never decrease from state to state or in webhooks, with any clock of the device', async () => {
  await world.message('m', { journal: 'j' })
  const updates = (kind: 'processed' | 'sent' | 'delivered', seconds: number) =>
    ({ accountId: 'account', cmdId: 'm/0', input: { kind, at: later(seconds) } }) satisfies RecipientUpdate
  await advance(updates('processed', -0.1))
  await advance(updates('sent', 3))
  await advance(updates('delivered', -3_600))
  const times = { processedAt: at, sentAt: later(3), deliveredAt: later(3) }
  expect(await world.recipient('m/0')).toMatchObject(times)
  expect(await store.database.message.findFirst()).toMatchObject({ createdAt: at, ...times })
  const payloads = (await store.database.webhookDelivery.findMany({ orderBy: { key: 'asc' } })).map(
    (row) => row.payload,
  )
  expect(payloads).toMatchObject([
    { sentAt: '2026-03-01T12:00:03.000+00:00' },
    { deliveredAt: '2026-03-01T12:00:03.000+00:00' },
  ])
})

test('an event names the earlier event, which its receiver gets before it', async () => {
  await world.message('m', { journal: 'j' })
  const failed = (code: string) => ({
    ...update('m/0', 'sent'),
    input: { kind: 'failed', at, code, reason: '' } as const,
  })
  await advance(failed('submit_unknown'))
  await advance(update('m/0', 'sent'), update('m/0', 'delivered'))
  const rows = await store.database.webhookDelivery.findMany({ orderBy: { key: 'asc' } })
  const idOf = (event: string) => rows.find((row) => row.event === event)?.id
  const followed = new Map(rows.map((row) => [row.event, row.followsId]))
  expect(followed.get('sms:failed')).toBeNull()
  expect(followed.get('sms:sent')).toBe(idOf('sms:failed'))
  expect(followed.get('sms:delivered')).toBe(idOf('sms:sent'))
})

test('the times of a message with several recipients do not decrease either', async () => {
  await world.message('m', { journal: 'j', numbers: 2 })
  const updates = (cmdId: string, kind: 'processed' | 'sent', seconds: number) =>
    ({ accountId: 'account', cmdId, input: { kind, at: later(seconds) } }) satisfies RecipientUpdate
  await advance(updates('m/0', 'processed', 1), updates('m/0', 'sent', 2), updates('m/1', 'processed', 9))
  await advance(updates('m/1', 'sent', 5))
  const message = await store.database.message.findFirstOrThrow()
  expect(message).toMatchObject({ processedAt: later(9), sentAt: later(9) })
})

test('a message has the state of its slowest recipient, and is finished with the last recipient', async () => {
  await world.message('m', { journal: 'j', numbers: 3 })
  await advance(update('m/0', 'processed'), update('m/0', 'sent'), update('m/1', 'processed'))
  expect(await world.messageState('m')).toBe('Pending')
  await advance(update('m/2', 'processed'))
  expect(await world.messageState('m')).toBe('Processed')
  await advance(update('m/1', 'sent'))
  expect(await store.database.message.findFirst()).toMatchObject({ state: 'Processed', finishedAt: null })
  await advance({ ...update('m/2', 'sent'), input: { kind: 'failed', at, code: 'refused', reason: 'CMS 38' } })
  expect(await store.database.message.findFirst()).toMatchObject({ state: 'Sent', finishedAt: world.now })
})

describe('the SIM of an outbound event', () => {
  const two = [sim(1, 'ready', '+491'), sim(2, 'ready', '+492')]
  const ends: readonly [what: string, ending: RecipientUpdate][] = [
    ['a cancel', update('m/0', 'cancel-requested')],
    ['an expiry', { ...update('m/0', 'sent'), input: { kind: 'expired', at } }],
    ['the loss of the device', { ...update('m/0', 'sent'), input: { kind: 'device-lost', at } }],
    ['a failure', { ...update('m/0', 'sent'), input: { kind: 'failed', at, code: 'unsupported', reason: 'too old' } }],
    ['a report without it', update('m/0', 'sent')],
  ]

  test.each(ends)('the SIM of an outbound event is the requested SIM, with its number: %s', async (_, ending) => {
    await world.sims(two)
    await world.message('m', { simNumber: 2 })
    await advance(ending)
    expect(await senders()).toEqual([[2, '+492']])
  })

  test.each(ends)(
    'the SIM of an outbound event is the only SIM of the device, with its number: %s',
    async (_, ending) => {
      await world.sims([sim(3, 'absent', '+493')])
      await world.message('m')
      await advance(ending)
      expect(await senders()).toEqual([[3, '+493']])
    },
  )

  test('the SIM of an outbound event is the SIM that sent the message, even if another SIM was reported before', async () => {
    await world.sims([sim(1, 'ready', '+491'), sim(2, 'ready', '')])
    await world.message('m', { journal: 'j' })
    await advance({ accountId: 'account', cmdId: 'm/0', simNumber: 1, sender: '+491' })
    await store.database.simCard.updateMany({ where: { simNumber: 2 }, data: { phoneNumber: '+492' } })
    await advance({ ...update('m/0', 'sent'), simNumber: 2 }, update('m/0', 'delivered'))
    expect(await senders()).toEqual([
      [2, '+492'],
      [2, '+492'],
    ])
  })

  test.each<[what: string, sims: SimCard[], settings: object, expected: [number, string]]>([
    [
      'the lowest that is ready',
      [sim(1, 'searching', '+491'), ...two.slice(1), sim(3, 'ready', '+493')],
      {},
      [2, '+492'],
    ],
    ['unknown while the device takes turns', two, { messages: { sim_selection_mode: 'RoundRobin' } }, [0, '']],
    ['unknown while none of several is ready', [sim(1, 'searching', '+491'), sim(2, 'denied', '+492')], {}, [0, '']],
    ['the only one with a card', [sim(1, 'absent', '+491'), sim(2, 'locked', '+492')], {}, [2, '+492']],
    ['known without its number', [{ simNumber: 1, state: 'ready' }], {}, [1, '']],
    ['unknown without any', [], {}, [0, '']],
  ])('the SIM of an outbound event, if it was not requested, is %s', async (_, sims, settings, expected) => {
    await world.sims(sims)
    await store.database.account.updateMany({ data: { settings } })
    await world.message('m')
    await advance(update('m/0', 'cancel-requested'))
    expect(await senders()).toEqual([expected])
  })

  async function senders() {
    const rows = await store.database.webhookDelivery.findMany({ orderBy: { key: 'asc' } })
    return rows
      .map(({ payload }) => payload as { simNumber: number; sender: string })
      .map((one) => [one.simNumber, one.sender])
  }

  function sim(simNumber: number, state: string, phoneNumber: string): SimCard {
    return { simNumber, state, ...(phoneNumber !== '' && { phoneNumber }) }
  }
})

test('an update from another account or device changes nothing and is returned', async () => {
  await world.account('other')
  await world.message('m', { journal: 'j', numbers: 2 })
  const foreign = [
    { ...update('m/0', 'sent'), accountId: 'other' },
    { ...update('m/0', 'sent'), deviceId: 'another device' },
    update('unheard of', 'sent'),
  ]
  const { unknown, changed } = await advance(...foreign, update('m/1', 'sent'))
  expect(unknown).toEqual(foreign)
  expect([...changed]).toEqual(['m/1'])
  expect((await world.recipient('m/0')).state).toBe('Pending')
})

test('writes many messages, recipients and kinds of updates at once', async () => {
  const ids = Array.from({ length: 30 }, (_, number) => `m${number}`)
  for (const id of ids) await world.message(id, { journal: 'j', numbers: 2 })
  const inputs: RecipientInput[] = [
    { kind: 'processed', at },
    { kind: 'waiting', at, code: 'held', reason: 'waits' },
    { kind: 'failed', at, code: 'refused', reason: 'CMS 38' },
    { kind: 'cancel-requested', at },
    { kind: 'device-lost', at },
  ]
  const expected = ['Processed', 'Pending', 'Failed', 'Cancelling', 'Failed']
  await advance(
    ...ids.map((id, number) => ({ ...update(`${id}/1`, 'sent'), input: inputs[number % 5] as RecipientInput })),
  )
  for (const [number, id] of ids.entries()) {
    expect((await world.recipient(`${id}/1`)).state).toBe(expected[number % 5])
    expect((await world.recipient(`${id}/0`)).state).toBe('Pending')
  }
  expect(await world.outbox()).toHaveLength(12)
})

test('a cancel waits for a running dispatch and sees its result', async () => {
  await world.message('m')
  await store.database
    .$transaction(async (statements) => {
      await statements.$queryRaw`SELECT FROM recipients WHERE cmd_id = 'm/0' FOR UPDATE SKIP LOCKED`
      const cancel = advance(update('m/0', 'cancel-requested'))
      await Promise.race([cancel, someoneWaits(store.database)])
      await statements.$executeRaw`UPDATE recipients SET dispatched_journal = 'j' WHERE cmd_id = 'm/0'`
      return { cancel }
    })
    .then(({ cancel }) => cancel)
  expect((await world.recipient('m/0')).state).toBe('Cancelling')
})
