import type { Statements } from '../../store/database.ts'
import { enqueueEvents } from '../../webhooks/outbox/enqueue-events.ts'
import { lockMessages } from './lock-messages-statement.ts'
import { type MessageProgress, type Move, progressMessage, type RecipientUpdate } from './message-progress.ts'
import { withSendingSims } from './sending-sim.ts'
import { writeProgress } from './write-progress-statement.ts'

export interface AdvancedMessages {
  /** Their present state, changed or not. */
  readonly messages: readonly MessageProgress[]
  /** Command ids of the changed recipients. */
  readonly changed: ReadonlySet<string>
  readonly moves: readonly Move[]
  /** Updates for a recipient of another account or device, or for none. */
  readonly unknown: readonly RecipientUpdate[]
}

/**
 * The only way to change the state of a message: by a device's event, a cancel, an expiry or a lost device. Applies the
 * updates in order, writes recipients and messages, and adds webhook deliveries to the outbox, all in the caller's
 * transaction. Late and repeated updates change nothing and create no event.
 */
export async function advanceMessages(
  statements: Statements,
  updates: readonly RecipientUpdate[],
  now: Date,
): Promise<AdvancedMessages> {
  if (updates.length === 0) return { messages: [], changed: new Set(), moves: [], unknown: [] }
  const messages = await lockMessages(statements, updates)
  const owners = new Map(
    messages.flatMap((message) => message.recipients.map(({ cmdId }) => [cmdId, message] as const)),
  )
  const unknown = updates.filter((one) => !isAbout(owners.get(one.cmdId), one))
  const foreign = new Set(unknown)
  const updatesOf = Map.groupBy(
    updates.filter((one) => !foreign.has(one)),
    ({ cmdId }) => owners.get(cmdId),
  )
  const progressed = messages.map((message) => progressMessage(message, updatesOf.get(message) ?? [], now))
  const recipients = progressed.flatMap(({ changedRecipients }) => changedRecipients)
  const moved = progressed.filter(({ changed }) => changed).map(({ message }) => message)
  await writeProgress(statements, recipients, moved)
  for (const [accountId, ofAccount] of Map.groupBy(progressed, ({ message }) => message.accountId)) {
    const outboxEvents = ofAccount.flatMap((one) => one.outboxEvents)
    await enqueueEvents(statements, accountId, await withSendingSims(statements, outboxEvents))
  }
  return {
    messages: progressed.map(({ message }) => message),
    changed: new Set(recipients.map(({ cmdId }) => cmdId)),
    moves: progressed.flatMap(({ moves }) => moves),
    unknown,
  }
}

function isAbout(message: MessageProgress | undefined, { accountId, deviceId }: RecipientUpdate): boolean {
  return message?.accountId === accountId && (deviceId ?? message.deviceId) === message.deviceId
}
