import type { InboxType } from '@smsgw/contract/inbox'
import type { Database } from '../store/database.ts'
import { enqueueAgain } from '../webhooks/enqueue-events.ts'
import type { HappenedEvent, ReceivedEvent } from '../webhooks/happened-event.ts'
import { Batches, batchEvents } from './batches.ts'
import { eventOfType, receivedEventOf } from './stored-item.ts'

/** Which stored messages. */
export interface Range {
  readonly deviceId?: string | undefined
  readonly since: Date
  /** Inclusive. */
  readonly until: Date
  /** Left out: all. */
  readonly messageTypes?: readonly InboxType[] | undefined
}

/** Rows read and written at once: a range may hold millions, and a transaction is to be short. */
const PAGE = 200
/** Many webhooks may want every page: as long as one statement may take. */
const LONGEST_MS = 30_000

/**
 * Tells webhooks of the stored messages of a range again: each under the event id that it has always had, or together,
 * under an id that is derived from theirs. Interrupted, it can be asked for again: nothing gets a second id.
 */
export async function tellAgain(
  database: Database,
  accountId: string,
  range: Range,
  delivery: 'Individual' | 'Batch',
): Promise<void> {
  const batches = new Batches()
  // Each page in a transaction, so that a webhook is not deleted between being found and being told.
  const enqueue = (events: readonly HappenedEvent[]) =>
    database.$transaction((statements) => enqueueAgain(statements, accountId, events), { timeout: LONGEST_MS })
  for await (const received of storedEvents(database, accountId, await listened(database, accountId, range, delivery)))
    await enqueue(delivery === 'Batch' ? batches.add(received) : received)
  await enqueue(batches.rest())
}

/** What nobody is registered for is not even read. */
async function listened(
  database: Database,
  accountId: string,
  range: Range,
  delivery: 'Individual' | 'Batch',
): Promise<Range> {
  const webhooks = await database.webhook.findMany({
    where: { accountId, disabledAt: null },
    select: { event: true },
    distinct: ['event'],
  })
  const events = new Set(webhooks.map(({ event }) => event))
  const types = (range.messageTypes ?? (Object.keys(eventOfType) as InboxType[])).filter((type) => {
    const event = eventOfType[type]
    return event !== null && events.has(delivery === 'Batch' ? batchEvents[event] : event)
  })
  return { ...range, messageTypes: types }
}

/** Oldest first, a page at a time. */
async function* storedEvents(
  database: Database,
  accountId: string,
  { deviceId, since, until, messageTypes }: Range,
): AsyncGenerator<readonly ReceivedEvent[]> {
  if (messageTypes?.length === 0) return
  let place = { createdAt: since, key: 0n }
  for (;;) {
    const items = await database.inboxItem.findMany({
      where: {
        accountId,
        ...(deviceId !== undefined && { deviceId }),
        ...(messageTypes && { type: { in: [...messageTypes] } }),
        createdAt: { gte: place.createdAt, lte: until },
        OR: [{ createdAt: { gt: place.createdAt } }, { key: { gt: place.key } }],
      },
      orderBy: [{ createdAt: 'asc' }, { key: 'asc' }],
      take: PAGE,
    })
    yield items.map(receivedEventOf).filter((event) => event !== undefined)
    const last = items.at(-1)
    if (last === undefined || items.length < PAGE) return
    place = last
  }
}
