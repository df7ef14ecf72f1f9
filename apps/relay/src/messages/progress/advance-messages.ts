import type { RawStatements } from '../../store/raw-statements.ts'
import { enqueueEvents } from '../../webhooks/outbox/enqueue-events.ts'
import type { OutboundEvent } from '../../webhooks/outbox/outbox-event.ts'
import { lockMessages } from './lock-messages-statement.ts'
import { type MessageProgress, type Move, progressMessage, type RecipientUpdate } from './message-progress.ts'
import { type DeviceSims, readDeviceSims } from './read-device-sims-statement.ts'
import { writeProgress } from './write-progress-statement.ts'

export interface AdvancedMessages {
  /** The messages of the updates in their present state, changed or not. */
  readonly messages: readonly MessageProgress[]
  /** Command ids of the changed recipients. */
  readonly changed: ReadonlySet<string>
  readonly moves: readonly Move[]
  /** The updates whose recipient does not exist, or belongs to another account or device. */
  readonly unknown: readonly RecipientUpdate[]
  /** The number of deliveries and notifications that were added to the outbox. */
  readonly enqueued: number
}

/**
 * The only way to change the state of a message, for every cause: an event from its device, a cancel, an expiry or a
 * lost device. Applies the updates in order, writes recipients and messages, and adds webhook deliveries to the outbox,
 * all in the caller's transaction. Late and repeated updates change nothing and create no event.
 */
export async function advanceMessages(
  statements: RawStatements,
  updates: readonly RecipientUpdate[],
  now: Date,
): Promise<AdvancedMessages> {
  if (updates.length === 0) return { messages: [], changed: new Set(), moves: [], unknown: [], enqueued: 0 }
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
  let enqueued = 0
  for (const [accountId, ofAccount] of Map.groupBy(progressed, ({ message }) => message.accountId)) {
    const outboxEvents = ofAccount.flatMap((one) => one.outboxEvents)
    enqueued += await enqueueEvents(statements, accountId, await withSendingSims(statements, outboxEvents))
  }
  return {
    messages: progressed.map(({ message }) => message),
    changed: new Set(recipients.map(({ cmdId }) => cmdId)),
    moves: progressed.flatMap(({ moves }) => moves),
    unknown,
    enqueued,
  }
}

function isAbout(message: MessageProgress | undefined, { accountId, deviceId }: RecipientUpdate): boolean {
  return message?.accountId === accountId && (deviceId ?? message.deviceId) === message.deviceId
}

/**
 * Adds SIM and sender to events that lack them. The device has not reported them if the message ended too early or the
 * device was deleted. So both are derived from the request and the slots of the device.
 */
async function withSendingSims(
  statements: RawStatements,
  events: readonly OutboundEvent[],
): Promise<readonly OutboundEvent[]> {
  const open = events.filter(({ simNumber, sender }) => simNumber === null || sender === null)
  if (open.length === 0) return events
  const devices = await readDeviceSims(statements, [...new Set(open.map(({ deviceId }) => deviceId))])
  return events.map((event) => withSendingSim(event, devices.get(event.deviceId)))
}

function withSendingSim(event: OutboundEvent, device: DeviceSims | undefined): OutboundEvent {
  if (device === undefined) return event
  const simNumber = event.simNumber ?? plannedSim(device) ?? null
  const sim = device.sims.find((one) => one.simNumber === simNumber)
  return { ...event, simNumber, sender: event.sender ?? sim?.phoneNumber ?? null }
}

/** Returns the slot for messages that name no SIM, or undefined if several slots are possible. */
function plannedSim({ sims, selection }: DeviceSims): number | undefined {
  const ready = sims.filter(({ state }) => state === 'ready')
  const present = sims.filter(({ state }) => state !== 'absent')
  const [candidates = []] = [ready, present, sims].filter(({ length }) => length > 0)
  if (candidates.length > 1 && (candidates !== ready || selection !== 'OSDefault')) return undefined
  return candidates.length === 0 ? undefined : Math.min(...candidates.map(({ simNumber }) => simNumber))
}
