import type { MessageContent } from '@smsgw/contract/messages/message'
import { ApiError } from '../../http/errors/api-error.ts'
import type { AcceptOutcome, NewMessage } from './accept-messages.ts'

interface GroupDeps {
  readonly accept: (messages: readonly NewMessage[], waitMs: number) => Promise<readonly AcceptOutcome[]>
  /** Returns true if a single message may have caused the error, so that each message should be tried separately. */
  readonly isAboutOne: (error: unknown) => boolean
}

/**
 * The largest weight of a group. The weight of a message is its number of recipients plus one per thousand characters.
 */
const MOST_WEIGHT = 1_000
const MOST_WAITING = 10_000
/**
 * If a group takes longer than this, the next group starts without waiting for it, because the database connection of
 * the slow group may be lost.
 */
const HANGING_MS = 2_000
/** The longest time that a group waits for a duplicate that hangs in another process. */
export const WAIT_IN_GROUP_MS = 250
/** The longest time that a message waits for its duplicate if it is stored separately. */
const WAIT_ALONE_MS = 5_000

interface Waiting extends PromiseWithResolvers<AcceptOutcome> {
  readonly message: NewMessage
}

/**
 * Stores messages that arrive at the same time in one transaction, so that they share one wait for the disk.
 *
 * Idle: messages that arrive in one iteration of the event loop are stored at the end of this iteration, so a single
 * request does not wait for others. Busy (a group is being stored): new messages queue up and form the next group,
 * oldest first, up to the limit. Storing two groups at the same time was not faster, because the groups are then
 * smaller, and each group costs as much CPU time as twenty messages. Duplicates (same id or idempotency key) never
 * share a group, so the later message waits and then finds the earlier message. When one message makes a group fail,
 * the next group starts, and each message of the failed group is tried separately.
 */
export function groupAccepts({ accept, isAboutOne }: GroupDeps): (message: NewMessage) => Promise<AcceptOutcome> {
  let waiting: Waiting[] = []
  let isBusy = false

  function wait(one: Waiting): void {
    waiting.push(one)
    if (isBusy) return
    isBusy = true
    setImmediate(storeNext)
  }

  async function storeNext(): Promise<void> {
    const { group, rest } = nextGroup(waiting)
    waiting = rest
    await untilDoneOr(HANGING_MS, storeGroup(group))
    if (waiting.length > 0) setImmediate(storeNext)
    else isBusy = false
  }

  async function storeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await settle(group, WAIT_IN_GROUP_MS)
    } catch (error) {
      for (const one of group) {
        if (isAboutOne(error)) settle([one], WAIT_ALONE_MS).catch(one.reject)
        else one.reject(error)
      }
    }
  }

  async function settle(group: readonly Waiting[], waitMs: number): Promise<void> {
    const messages = group.map(({ message }) => message)
    const outcomes = await accept(messages, waitMs)
    for (const [index, outcome] of outcomes.entries()) group[index]?.resolve(outcome)
  }

  return (message) => {
    if (waiting.length >= MOST_WAITING) return Promise.reject(tooBusy())
    const one = { message, ...Promise.withResolvers<AcceptOutcome>() }
    wait(one)
    return one.promise
  }
}

async function untilDoneOr(ms: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work, promise])
  clearTimeout(timer)
}

function tooBusy(): ApiError {
  return new ApiError(503, 'Too many messages are waiting to be stored: try again in a second', {
    headers: { 'Retry-After': '1' },
  })
}

function nextGroup(waiting: readonly Waiting[]): { group: Waiting[]; rest: Waiting[] } {
  const group: Waiting[] = []
  const rest: Waiting[] = []
  const claimed = new Set<string>()
  let weight = 0
  for (const one of waiting) {
    const claims = claimsOf(one.message)
    weight += weightOf(one.message)
    const fits = group.length === 0 || (weight <= MOST_WEIGHT && claims.every((claim) => !claimed.has(claim)))
    for (const claim of claims) claimed.add(claim)
    if (fits) group.push(one)
    else rest.push(one)
  }
  return { group, rest }
}

function claimsOf({ accountId, id, idempotency }: NewMessage): readonly string[] {
  const claims = [`id ${accountId} ${id}`]
  return idempotency === undefined ? claims : [...claims, `key ${accountId} ${idempotency.key}`]
}

function weightOf({ recipients, content }: NewMessage): number {
  return recipients.length + Math.ceil(lengthOf(content) / 1_000)
}

function lengthOf(content: MessageContent): number {
  if (content.kind === 'mms') return content.attachments.reduce((sum, { data }) => sum + data.length, 0)
  return content.kind === 'text' ? content.text.length : content.data.length
}
