import type { InboxType } from '@smsgw/contract/inbox/inbox'
import type { CallerAccess } from '../http/admissions.ts'
import type { Database } from '../store/database.ts'
import { enqueueAgain } from '../webhooks/outbox/enqueue-events.ts'
import type { OutboxEvent, ReceivedEvent } from '../webhooks/outbox/outbox-event.ts'
import { batchEvents, ReceivedBatches } from './received-batches.ts'
import { eventOfType, receivedEventOf, withAttachments } from './stored-item.ts'

/** A selection of received messages. */
export interface Range {
  readonly deviceId?: string | undefined
  readonly since: Date
  readonly until: Date
  /** The types of messages; if left out, all types. */
  readonly messageTypes?: readonly InboxType[] | undefined
}

/**
 * Rows per transaction. The number is limited, because a range may hold millions of rows and transactions have to be
 * short.
 */
const PAGE = 200
/** Time limit of a transaction. It is long, because many webhooks may be registered for the events of a page. */
const LONGEST_MS = 30_000

/**
 * Delivers the received messages of a range to webhooks again, each under its original event id, or in batches whose id
 * is derived from their messages. After an interruption the call can be repeated, because no event gets a second id. If
 * the caller may not read the inbox, a webhook receives only messages that were stored after its URL was set. It
 * does not receive a batch that contains an older message.
 */
export async function redeliverReceived(
  database: Database,
  accountId: string,
  range: Range,
  delivery: 'Individual' | 'Batch',
  { access, mayRead }: { readonly access: Pick<CallerAccess, 'refuseLost'>; readonly mayRead: boolean },
): Promise<void> {
  const batches = new ReceivedBatches()
  const keys = new WeakMap<OutboxEvent, bigint>()
  const keyOf = (received: OutboxEvent) => keys.get(received) ?? 0n
  const oldestKey = (event: OutboxEvent) =>
    'messages' in event ? event.messages.map(keyOf).reduce((one, other) => (one < other ? one : other)) : keyOf(event)
  // Uses one transaction for each page, so that no webhook can be deleted between the look-up and the insert.
  const enqueue = (events: readonly OutboxEvent[]) =>
    database.$transaction(
      (statements) => enqueueAgain(statements, accountId, events, { inboxKeyOf: mayRead ? undefined : oldestKey }),
      { timeout: LONGEST_MS },
    )
  const registered = await withRegisteredTypes(database, accountId, range, delivery)
  for await (const stored of storedEvents(database, accountId, registered)) {
    await access.refuseLost()
    for (const { event, key } of stored) keys.set(event, key)
    const received = stored.map(({ event }) => event)
    await enqueue(delivery === 'Batch' ? batches.add(received) : received)
  }
  await enqueue(batches.rest())
}

/** Leaves out message types without a registered webhook. */
async function withRegisteredTypes(
  database: Database,
  accountId: string,
  range: Range,
  delivery: 'Individual' | 'Batch',
): Promise<Range> {
  const webhooks = await database.webhook.findMany({
    where: { accountId, disabledAt: null },
    select: { events: true },
  })
  const events = new Set(webhooks.flatMap((webhook) => webhook.events))
  const types = (range.messageTypes ?? (Object.keys(eventOfType) as InboxType[])).filter((type) => {
    const event = eventOfType[type]
    return events.has(delivery === 'Batch' ? batchEvents[event] : event)
  })
  return { ...range, messageTypes: types }
}

/** Reads the messages of a range page by page, oldest first. */
async function* storedEvents(
  database: Database,
  accountId: string,
  { deviceId, since, until, messageTypes }: Range,
): AsyncGenerator<readonly { readonly event: ReceivedEvent; readonly key: bigint }[]> {
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
      include: withAttachments,
    })
    yield items.map((item) => ({ event: receivedEventOf(item), key: item.key }))
    const last = items.at(-1)
    if (last === undefined || items.length < PAGE) return
    place = last
  }
}
