import type { Database, Statements } from '../../store/database.ts'
import {
  type AcceptOutcome,
  acceptAndClaim,
  acceptMessages,
  type ClaimAlong,
  isUrgent,
  type NewMessage,
  repeatOutcome,
} from './accept-messages.ts'
import { lockReplies, replyCounter } from './count-replies-statement.ts'
import { findDuplicates } from './find-duplicates-statement.ts'
import { groupAccepts, WAIT_IN_GROUP_MS } from './group-accepts.ts'
import { addUsage, lockUsage, usageRow } from './key-usage-statement.ts'
import { isStatementError } from './statement-error.ts'

/**
 * Stores messages one group at a time, as `groupAccepts` does. Each API key with a daily limit has separate groups. So
 * if another relay has locked a key, only the messages of this key wait. Replies have separate groups for the same
 * reason. MMS have separate groups, because the transfer of their attachments to the database takes long.
 */
export function acceptWithinLimits(
  database: Database,
  claimAlong: ClaimAlongWith = () => undefined,
): (message: NewMessage) => Promise<AcceptOutcome> {
  const unlimited = groupAccepts({
    accept: (messages, waitMs) => {
      // A message that is tried again may wait longer, and must not delay the claims of its device.
      const claim = waitMs > WAIT_IN_GROUP_MS ? undefined : claimOf(messages, claimAlong)
      return claim === undefined
        ? acceptMessages(database, messages, waitMs)
        : acceptAndClaim(database, messages, waitMs, claim)
    },
    isAboutOne: isStatementError,
  })
  const replies = groupAccepts({
    accept: (messages, waitMs) => storeWithinLimit(database, messages, waitMs),
    isAboutOne: isStatementError,
  })
  const mms = groupAccepts({
    accept: (messages, waitMs) => database.$transaction((statements) => acceptMessages(statements, messages, waitMs)),
    isAboutOne: isStatementError,
  })
  const groupsOfKeys = new Map<string, { readonly accept: typeof unlimited; open: number }>()

  async function acceptLimited(keyId: string, message: NewMessage): Promise<AcceptOutcome> {
    const accept = (messages: readonly NewMessage[], waitMs: number) => storeWithinLimit(database, messages, waitMs)
    const groups = groupsOfKeys.get(keyId) ?? {
      accept: groupAccepts({ accept, isAboutOne: isStatementError }),
      open: 0,
    }
    groupsOfKeys.set(keyId, groups)
    groups.open += 1
    try {
      return await groups.accept(message)
    } finally {
      groups.open -= 1
      if (groups.open === 0) groupsOfKeys.delete(keyId)
    }
  }

  return (message) => {
    const { recipientsPerDay, repliesPerHour, keyId } = message.sentBy
    if (repliesPerHour !== undefined) return replies(message)
    if (recipientsPerDay !== undefined && keyId !== undefined) return acceptLimited(keyId, message)
    return message.content.kind === 'mms' ? mms(message) : unlimited(message)
  }
}

/** Begins a claim for this device in the transaction that stores messages for it. */
export type ClaimAlongWith = (deviceId: string, isUrgent: boolean) => ClaimAlong | undefined

/** Begins a claim if all messages are due now and have the same device. */
function claimOf(messages: readonly NewMessage[], claimAlong: ClaimAlongWith): ClaimAlong | undefined {
  const deviceId = messages[0]?.deviceId
  const isSole = ({ deviceId: other, scheduleAt, approvalUntil }: NewMessage) =>
    other === deviceId && scheduleAt === undefined && approvalUntil === undefined
  if (deviceId === undefined || !messages.every(isSole)) return undefined
  return claimAlong(deviceId, messages.some(isUrgent))
}

/**
 * Stores messages of API keys, or replies, as `acceptMessages` does. Does not store a message beyond the daily limit of
 * its key or the hourly limit of its number.
 *
 * The first statement locks the usage, so that groups of several relays wait for each other before they store anything.
 * A message counts only if it is stored; a repeated or refused message does not count.
 */
function storeWithinLimit(
  database: Database,
  messages: readonly NewMessage[],
  waitMs: number,
): Promise<readonly AcceptOutcome[]> {
  return database.$transaction(async (statements) => {
    const areReplies = messages.some(isReply)
    const used = await (areReplies ? lockReplies : lockUsage)(statements, messages)
    const before = new Map(used)
    const outcomes = await acceptInTurn(statements, messages, used, waitMs)
    if (!areReplies) await addUsage(statements, before, used)
    return messages.map((message) => outcomes.get(message) ?? { kind: 'key-gone' })
  })
}

/**
 * Tries to store the messages that fit, and adds the stored messages to `used`. If a message is not stored (for
 * example, a repetition), another round uses its place in the limit for other messages.
 */
async function acceptInTurn(
  statements: Statements,
  messages: readonly NewMessage[],
  used: Map<string, number>,
  waitMs: number,
): Promise<Map<NewMessage, AcceptOutcome>> {
  const planned = new Map(used)
  const fitting = messages.filter((message) => takeRoom(planned, message))
  const rest = messages.filter((message) => !fitting.includes(message))
  if (fitting.length === 0) return await outcomesOfRest(statements, rest, used)
  const stored = await acceptMessages(statements, fitting, waitMs)
  const outcomes = new Map(fitting.map((message, index) => [message, stored[index] as AcceptOutcome]))
  for (const [message, { kind }] of outcomes) if (kind === 'accepted') takeRoom(used, message)
  const others = rest.length === 0 ? [] : await acceptInTurn(statements, rest, used, waitMs)
  return new Map([...outcomes, ...others])
}

const isReply = ({ sentBy }: NewMessage) => sentBy.repliesPerHour !== undefined
const counterOf = (message: NewMessage) => (isReply(message) ? replyCounter(message) : usageRow(message))

/** Adds the recipients of the message to the usage of its key or number, unless they exceed the limit. */
function takeRoom(used: Map<string, number>, message: NewMessage): boolean {
  const limit = message.sentBy.repliesPerHour ?? message.sentBy.recipientsPerDay
  if (limit === undefined) return true
  const row = counterOf(message)
  const count = used.get(row)
  // The count is missing if the key was deleted after authentication.
  if (count === undefined || count + message.recipients.length > limit) return false
  used.set(row, count + message.recipients.length)
  return true
}

/** Returns the outcomes of the messages beyond the limit. Such a message may be a repetition of an accepted message. */
async function outcomesOfRest(
  statements: Statements,
  rest: readonly NewMessage[],
  used: ReadonlyMap<string, number>,
): Promise<Map<NewMessage, AcceptOutcome>> {
  if (rest.length === 0) return new Map()
  const taken = await findDuplicates(statements, rest)
  return new Map(
    rest.map((message, index) => {
      const duplicate = taken[index]
      return [message, (duplicate && repeatOutcome(message, duplicate)) ?? refusalOf(message, used)]
    }),
  )
}

function refusalOf(message: NewMessage, used: ReadonlyMap<string, number>): AcceptOutcome {
  if (isReply(message)) return { kind: 'over-reply-limit' }
  const count = used.get(usageRow(message))
  return count === undefined ? { kind: 'key-gone' } : { kind: 'over-daily-limit', used: count }
}
