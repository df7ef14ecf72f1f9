import type { MessageState } from '@smsgw/contract/messages/message-states'
import { beforeEach, expect, test } from 'vitest'
import { Dice } from '../../../fuzz/dice.ts'
import { deleteSent } from '../../facades/twilio/delete-sent-statement.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { countHistory, readHistory } from '../read-history-statement.ts'
import { advanceMessages } from './advance-messages.ts'
import type { RecipientUpdate } from './message-progress.ts'
import type { RecipientInput } from './message-state.ts'

const SEED = 20_261_201
const DEVICES = ['d1', 'd2']
const world = useTestDatabase()
const start = Date.UTC(2026, 2, 1, 12)
let stored = 0

beforeEach(async () => {
  await world.database.account.deleteMany()
  await world.database.account.create({ data: { id: 'a1', username: 'a1', passwordHash: '' } })
})

/** Stores a message with some recipients, of which each second one has been dispatched. */
async function store(recipients: number, state: MessageState = 'Pending'): Promise<{ key: bigint; cmdIds: string[] }> {
  const number = stored++
  const deviceId = DEVICES[number % DEVICES.length] ?? ''
  const createdAt = new Date(start + number * 1000)
  const rows = Array.from({ length: recipients }, (_, position) => ({
    ...{ accountId: 'a1', deviceId, position, state, phoneNumber: `+49151${position}`, dueAt: createdAt },
    ...{ cmdId: `m${number}/${position}`, dispatchedJournal: position % 2 === 0 ? 'j' : null },
  }))
  const { key } = await world.database.message.create({
    data: { accountId: 'a1', id: `m${number}`, deviceId, createdAt, state, recipients: { create: rows } },
  })
  return { key, cmdIds: rows.map(({ cmdId }) => cmdId) }
}

function advance(...updates: (readonly [cmdId: string, input: RecipientInput])[]) {
  const now = new Date(start + 3_600_000)
  const given = updates.map(([cmdId, input]): RecipientUpdate => ({ accountId: 'a1', cmdId, input }))
  return world.database.$transaction((statements) => advanceMessages(statements, given, now))
}

const failed = (code = 'rejected') => ({ kind: 'failed', at: new Date(start), code, reason: code }) as const
const input = (kind: 'processed' | 'sent' | 'delivered' | 'cancel-requested' | 'cancelled' | 'refused') =>
  ({ kind, at: new Date(start) }) as const
const inputs: readonly RecipientInput[] = [
  ...(['processed', 'sent', 'delivered', 'cancel-requested', 'cancelled', 'refused'] as const).map(input),
  ...(['unapproved', 'expired', 'device-lost', 'emulated'] as const).map((kind) => ({ kind, at: new Date(start) })),
  ...['rejected', 'submit_unknown', 'device_lost'].map(failed),
]

interface Filter {
  readonly state?: MessageState
  readonly deviceId?: string
  readonly from?: Date
}

const filters: readonly Filter[] = [
  {},
  { deviceId: 'd1' },
  ...(['Failed', 'Sent', 'Delivered', 'Cancelled', 'Processed', 'Pending'] as const).map((state) => ({ state })),
  { state: 'Sent', deviceId: 'd2' },
  { from: new Date(start + 20_000) },
]

/** Compares the lists and their totals with the states of the recipients. */
async function expectExactLists(when: string): Promise<void> {
  for (const filter of filters) {
    const { from, ...where } = filter
    const expected = await world.database.message.findMany({
      where: {
        ...{ accountId: 'a1', recipients: { some: { state: 'Failed' } } },
        ...{ ...where, ...(from && { createdAt: { gte: from } }) },
      },
      orderBy: { key: 'desc' },
    })
    const history = { accountId: 'a1', hasFailed: true, ...filter }
    const listed = await readHistory(world.database, history, 'DESC', { after: undefined, skip: 0, take: 1_000 })
    const name = `${when}, ${JSON.stringify(filter)}`
    expect(
      listed.map(({ id }) => id),
      name,
    ).toEqual(expected.map(({ id }) => id))
    expect(await countHistory(world.database, history), name).toEqual({ count: expected.length, isExact: true })
  }
}

test('the list of messages with failed recipients is exact after each change of a recipient', async () => {
  const dice = new Dice(SEED)
  const messages: { cmdIds: string[] }[] = []
  for (let count = 0; count < 40; count++) messages.push(await store(dice.between(1, 3)))
  for (let round = 0; round < 25; round++) {
    const updates = Array.from({ length: 12 }, () => {
      const { cmdIds } = dice.pick(messages)
      return [dice.pick(cmdIds), dice.pick(inputs)] as const
    })
    await advance(...updates)
    await expectExactLists(`round ${round} of seed ${SEED}`)
  }
})

test('a corrected failure leaves the list, and other failed recipients keep the message in it', async () => {
  const { cmdIds } = await store(3)
  const [first = '', second = '', third = ''] = cmdIds
  await advance(...cmdIds.map((cmdId) => [cmdId, failed('submit_unknown')] as const))
  await expectExactLists('all failed')
  await advance([first, input('sent')])
  await expectExactLists('one corrected')
  await advance([second, input('delivered')], [third, input('sent')])
  await expectExactLists('all corrected')
  const listed = await countHistory(world.database, { accountId: 'a1', hasFailed: true })
  expect(listed).toEqual({ count: 0, isExact: true })
})

test('the list is exact after recipients and messages were deleted', async () => {
  const { key, cmdIds } = await store(3)
  const [first = '', second = '', third = ''] = cmdIds
  await advance([first, failed()], [second, failed()], [third, input('sent')])
  const remove = (cmdId: string) => world.database.$transaction((statements) => deleteSent(statements, key, cmdId))
  expect(await remove(first)).toBe(true)
  await expectExactLists('one of two failed recipients deleted')
  await remove(second)
  await expectExactLists('both deleted')
  await remove(third)
  await expectExactLists('message deleted')
  const other = await store(2)
  await advance([other.cmdIds[0] ?? '', failed()], [other.cmdIds[1] ?? '', input('sent')])
  await expectExactLists('another message')
  await world.database.message.deleteMany({ where: { key: other.key } })
  await expectExactLists('deleted by retention')
})

test('no mark is written for a message with one recipient', async () => {
  const rows = () =>
    world.database.$queryRaw`SELECT is_partly_failed AS mark, state = 'Failed' AS failed FROM messages ORDER BY key`
  const [one, other] = [await store(1), await store(1)]
  await advance([one.cmdIds[0] ?? '', input('sent')], [other.cmdIds[0] ?? '', failed()])
  await advance([one.cmdIds[0] ?? '', input('delivered')])
  expect(await rows()).toEqual([
    { mark: null, failed: false },
    { mark: null, failed: true },
  ])
})
