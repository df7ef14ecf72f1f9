import { ApiError } from '../http/api-error.ts'
import type { AcceptOutcome } from './accept-messages.ts'
import type { NewMessage } from './new-message.ts'

interface GroupNeeds {
  /** Stores a group in one transaction. */
  readonly accept: (messages: readonly NewMessage[], patienceMs: number) => Promise<readonly AcceptOutcome[]>
  /** Whether an error may be the doing of one of a group, so that the others deserve a try without it. */
  readonly isAboutOne: (error: unknown) => boolean
}

/** Of a group: messages count by their recipients and the length of their texts. */
const MOST_WEIGHT = 1_000
const MOST_WAITING = 10_000
/** A group that takes longer may have lost its connection without a word: others go on without it. */
const HANGING_MS = 2_000
/** A twin that hangs in another process holds its neighbours up for no longer than this. */
const PATIENCE_IN_GROUP_MS = 250
/** A message that is tried alone waits for its twin. */
const PATIENCE_ALONE_MS = 5_000

interface Waiting extends PromiseWithResolvers<AcceptOutcome> {
  readonly message: NewMessage
}

/**
 * Accepts that come at the same time share a transaction, and with it the wait for the disk.
 *
 * Idle: what came in one turn of the event loop goes at its end; a lone request waits for nobody. Busy (a group is under
 * way): messages pile up, and what has piled up becomes the next group, the oldest first, as far as it has room. A second
 * group at the same time was no faster: both are smaller, and each costs the process as much as twenty messages. Twins
 * (one id or idempotency key) never share a group: the later one waits for the next and finds what the first has become.
 * When a group fails through one of them, the next may go, and each of the failed one is tried alone.
 */
export function groupAccepts({ accept, isAboutOne }: GroupNeeds): (message: NewMessage) => Promise<AcceptOutcome> {
  let waiting: Waiting[] = []
  let isBusy = false

  function wait(one: Waiting): void {
    waiting.push(one)
    if (isBusy) return
    isBusy = true
    setImmediate(goOn)
  }

  async function goOn(): Promise<void> {
    const { group, rest } = nextGroup(waiting)
    waiting = rest
    await untilDoneOr(HANGING_MS, goTogether(group))
    if (waiting.length > 0) setImmediate(goOn)
    else isBusy = false
  }

  async function goTogether(group: readonly Waiting[]): Promise<void> {
    try {
      await settle(group, PATIENCE_IN_GROUP_MS)
    } catch (error) {
      for (const one of group) {
        if (isAboutOne(error)) settle([one], PATIENCE_ALONE_MS).catch(one.reject)
        else one.reject(error)
      }
    }
  }

  async function settle(group: readonly Waiting[], patienceMs: number): Promise<void> {
    const messages = group.map(({ message }) => message)
    const outcomes = await accept(messages, patienceMs)
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
  return new ApiError(503, 'more messages are being accepted than can be stored: try again in a second', {
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
  const length = content.kind === 'text' ? content.text.length : content.data.length
  return recipients.length + Math.ceil(length / 1_000)
}
