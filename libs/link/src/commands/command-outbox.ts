import { type Command, commandKey, urgentPriority } from '@smsgw/contract/link/command'
import { maxFrameBytes } from '@smsgw/contract/link/frame'
import { byteLength } from '../connection/frame-text.ts'

/**
 * The state of commands at the relay. The database records each command as dispatched to this journal before the
 * command is sent, so the next connection finds commands that were lost with this connection.
 *
 * The agent grants credit for sends. Cancels, sweeps and USSD codes need no credit. The relay also limits the commands
 * in flight, so that an agent that grants too much credit does not fill the relay's memory.
 */
export interface CommandOutbox {
  /**
   * The number of sends that the agent accepts, counted from the start of the connection. Undefined before the first
   * credit.
   */
  readonly limit: number | undefined
  /** The number of sends that the agent accepts, including urgent ones. */
  readonly urgentLimit: number
  readonly sent: number
  /** Commands that are claimed but not yet sent. */
  readonly waiting: readonly Command[]
  readonly inFlight: readonly { readonly key: string; readonly bytes: number }[]
  /** The number of sends that the claim in progress may return. Undefined if no claim is in progress. */
  readonly claiming: number | undefined
  /** The kinds of commands that may be waiting to be claimed. */
  readonly due: ClaimDue
  /** True if the last claim returned the largest possible number of commands, so that more commands may be waiting. */
  readonly mayHaveMore: boolean
  /**
   * True if this connection has claimed the commands that were dispatched earlier and that the agent did not
   * acknowledge.
   */
  readonly isResumed: boolean
  /** The number of ticks since the last acknowledgement, while commands are in flight. */
  readonly unacknowledgedTicks: number
  /** The number of ticks since the last resume. Undefined if no claim of this connection has failed. */
  readonly doubtTicks: number | undefined
}

/**
 * `ordinary-sends`: these commands wait for credit. `any`: these commands do not wait, because they may include urgent
 * sends and commands that need no credit.
 */
export type ClaimDue = 'nothing' | 'ordinary-sends' | 'any'

/** The limits of a claim. Cancels and other commands that need no credit come first and count as `others`. */
export interface ClaimRoom {
  readonly sends: number
  readonly urgentSends: number
  readonly others: number
}

const mostInFlight = 64
const mostBytesInFlight = 1_048_576
/** 30 s */
const ticksUntilResume = 6

export const emptyOutbox: CommandOutbox = {
  limit: undefined,
  urgentLimit: 0,
  sent: 0,
  waiting: [],
  inFlight: [],
  claiming: undefined,
  due: 'any',
  mayHaveMore: false,
  isResumed: false,
  unacknowledgedTicks: 0,
  doubtTicks: undefined,
}

export function grant(outbox: CommandOutbox, limit: number, urgentLimit: number): CommandOutbox {
  const granted = {
    ...outbox,
    limit: Math.max(limit, outbox.limit ?? 0),
    urgentLimit: Math.max(limit, urgentLimit, outbox.urgentLimit),
  }
  if (!outbox.mayHaveMore) return granted
  return requestClaim(
    granted,
    granted.urgentLimit > granted.limit && granted.limit === outbox.limit ? 'any' : 'ordinary-sends',
  )
}

export function requestClaim(outbox: CommandOutbox, due: Exclude<ClaimDue, 'nothing'>): CommandOutbox {
  return outbox.due === 'any' || outbox.due === due ? outbox : { ...outbox, due }
}

/** Returns the claim to make now, if any. The first claim of a connection resumes the unacknowledged commands. */
export function nextClaim(outbox: CommandOutbox): { outbox: CommandOutbox; room: ClaimRoom } | undefined {
  const { limit, urgentLimit, sent, waiting, inFlight, claiming, due } = outbox
  const others = mostInFlight - inFlight.length - waiting.length
  if (limit === undefined || claiming !== undefined || due === 'nothing' || others < 1) return undefined
  const waitingSends = waiting.filter(({ kind }) => kind === 'send').length
  const sends = Math.max(0, Math.min(limit - sent - waitingSends, others))
  if (due === 'ordinary-sends' && sends === 0) return undefined
  const urgentSends = Math.max(0, Math.min(urgentLimit - sent - waitingSends, others))
  return { outbox: { ...outbox, claiming: sends, due: 'nothing' }, room: { sends, urgentSends, others } }
}

/** `areAll` is true if no other commands were waiting when the claim began. */
export function claimed(outbox: CommandOutbox, commands: readonly Command[], areAll = false): CommandOutbox {
  const fresh = commands.filter((command) => !isInFlight(outbox, command))
  const sends = fresh.filter(({ kind }) => kind === 'send').length
  const mayHaveMore = sends >= (outbox.claiming ?? 0)
  const after: CommandOutbox = {
    ...outbox,
    claiming: undefined,
    isResumed: true,
    waiting: [...outbox.waiting, ...fresh],
    mayHaveMore,
  }
  // Each claim of a busy connection may have begun before the tick.
  if (isResumeDue(outbox)) return resumeAgain(after)
  // Commands that have arrived since the claim began have changed `due`.
  if (areAll) return after
  // The first claim of a connection returns only commands that were dispatched earlier. So it does not show whether
  // there are new commands, and another claim is requested.
  if (!outbox.isResumed || fresh.length > sends || sends > (outbox.claiming ?? 0)) return requestClaim(after, 'any')
  return sends > 0 && mayHaveMore ? requestClaim(after, 'ordinary-sends') : after
}

/**
 * Allows the claim to be repeated after a pause. The failed transaction may have been committed. The next claim is a
 * resume, which also returns the commands of that transaction.
 *
 * The transaction may even be committed after that resume, for example if the commit waits for a standby that has
 * stopped. So until the connection ends, the resume is repeated every 30 s. An agent ignores commands that it knows.
 */
export function claimFailed(outbox: CommandOutbox): CommandOutbox {
  return { ...outbox, claiming: undefined, due: 'nothing', isResumed: false, doubtTicks: 0 }
}

/** Returns the text of the commands to send now. Commands in `tooLarge` do not fit into a frame. */
export function nextCommands(outbox: CommandOutbox): {
  readonly outbox: CommandOutbox
  readonly texts: readonly string[]
  readonly tooLarge: readonly Command[]
} {
  if (outbox.waiting.length === 0) return { outbox, texts: [], tooLarge: [] }
  const { limit = 0, urgentLimit } = outbox
  let { sent } = outbox
  let bytesInFlight = outbox.inFlight.reduce((sum, { bytes }) => sum + bytes, 0)
  const inFlight = [...outbox.inFlight]
  const [texts, waiting, tooLarge]: [string[], Command[], Command[]] = [[], [], []]
  for (const command of outbox.waiting) {
    const text = `{"type":"command","command":${JSON.stringify(command)}}`
    const bytes = byteLength(text)
    const isUrgent = command.kind === 'send' && command.priority >= urgentPriority
    const hasCredit = command.kind !== 'send' || sent < (isUrgent ? urgentLimit : limit)
    const hasRoom =
      inFlight.length < mostInFlight && (bytesInFlight === 0 || bytesInFlight + bytes <= mostBytesInFlight)
    if (bytes > maxFrameBytes) tooLarge.push(command)
    else if (!hasCredit || !hasRoom) waiting.push(command)
    else {
      const key = commandKey(command)
      texts.push(text)
      inFlight.push({ key, bytes })
      bytesInFlight += bytes
      if (command.kind === 'send') sent += 1
    }
  }
  return { outbox: { ...outbox, sent, waiting, inFlight }, texts, tooLarge }
}

/** Must be called when the agent has these commands on disk. */
export function acknowledged(outbox: CommandOutbox, keys: readonly string[]): CommandOutbox {
  const inFlight = outbox.inFlight.filter(({ key }) => !keys.includes(key))
  return inFlight.length === outbox.inFlight.length ? outbox : { ...outbox, inFlight, unacknowledgedTicks: 0 }
}

export function tickCommands(outbox: CommandOutbox): CommandOutbox {
  const doubted = tickDoubt(outbox)
  if (outbox.inFlight.length > 0) return { ...doubted, unacknowledgedTicks: outbox.unacknowledgedTicks + 1 }
  return outbox.unacknowledgedTicks === 0 ? doubted : { ...doubted, unacknowledgedTicks: 0 }
}

function tickDoubt(outbox: CommandOutbox): CommandOutbox {
  if (outbox.doubtTicks === undefined) return outbox
  const ticked = { ...outbox, doubtTicks: outbox.doubtTicks + 1 }
  return isResumeDue(ticked) && ticked.claiming === undefined ? resumeAgain(ticked) : ticked
}

function isResumeDue({ doubtTicks = 0 }: CommandOutbox): boolean {
  return doubtTicks >= ticksUntilResume
}

function resumeAgain(outbox: CommandOutbox): CommandOutbox {
  return { ...requestClaim(outbox, 'any'), isResumed: false, doubtTicks: 0 }
}

function isInFlight(outbox: CommandOutbox, command: Command): boolean {
  const key = commandKey(command)
  return (
    outbox.inFlight.some((inFlight) => inFlight.key === key) ||
    outbox.waiting.some((waiting) => commandKey(waiting) === key)
  )
}
