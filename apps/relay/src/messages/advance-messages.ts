import type { Statements } from '../store/database.ts'
import { enqueueEvents } from '../webhooks/enqueue-events.ts'
import { lockMessages } from './lock-messages-statement.ts'
import { type MessageProgress, type Move, progressMessage, type RecipientNews } from './message-progress.ts'
import { writeProgress } from './write-progress-statement.ts'

export interface AdvancedMessages {
  /** As they stand now, changed or not. */
  readonly messages: readonly MessageProgress[]
  /** Command ids of the recipients that changed. */
  readonly changed: ReadonlySet<string>
  /** Of recipients that came to another state. */
  readonly moves: readonly Move[]
  /** About no recipient of this account, or of another device. */
  readonly unknown: readonly RecipientNews[]
}

/**
 * The only way in which the state of a message changes: by what a device tells, by a cancel, an expiry or the loss of a
 * device. Takes the news in order, writes recipients and messages, and puts into the outbox what webhooks tell of it,
 * in the caller's transaction. What is late or repeated changes nothing and is told to nobody.
 */
export async function advanceMessages(
  statements: Statements,
  news: readonly RecipientNews[],
  now: Date,
): Promise<AdvancedMessages> {
  if (news.length === 0) return { messages: [], changed: new Set(), moves: [], unknown: [] }
  const messages = await lockMessages(statements, news)
  const owners = new Map(
    messages.flatMap((message) => message.recipients.map(({ cmdId }) => [cmdId, message] as const)),
  )
  const unknown = news.filter((one) => !isAbout(owners.get(one.cmdId), one))
  const foreign = new Set(unknown)
  const newsOf = Map.groupBy(
    news.filter((one) => !foreign.has(one)),
    ({ cmdId }) => owners.get(cmdId),
  )
  const progressed = messages.map((message) => progressMessage(message, newsOf.get(message) ?? [], now))
  const recipients = progressed.flatMap(({ changedRecipients }) => changedRecipients)
  const moved = progressed.filter(({ changed }) => changed).map(({ message }) => message)
  await writeProgress(statements, recipients, moved)
  for (const [accountId, ofAccount] of Map.groupBy(progressed, ({ message }) => message.accountId)) {
    const happened = ofAccount.flatMap((one) => one.happened)
    await enqueueEvents(statements, accountId, happened)
  }
  return {
    messages: progressed.map(({ message }) => message),
    changed: new Set(recipients.map(({ cmdId }) => cmdId)),
    moves: progressed.flatMap(({ moves }) => moves),
    unknown,
  }
}

function isAbout(message: MessageProgress | undefined, { accountId, deviceId }: RecipientNews): boolean {
  return message?.accountId === accountId && (deviceId ?? message.deviceId) === message.deviceId
}
