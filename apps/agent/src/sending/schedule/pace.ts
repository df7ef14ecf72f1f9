/** How fast a SIM may send, from the account's settings. Messages are counted, not parts. */
export interface Pace {
  /** A random pause between two messages. */
  readonly intervalMinMs: number
  readonly intervalMaxMs: number
  readonly limit: { readonly periodMs: number; readonly value: number } | undefined
  readonly workHours: WorkHours | undefined
}

/**
 * Minutes since local midnight. If the end is before the start, the work hours cross midnight. If both are equal, they
 * last all day.
 */
export interface WorkHours {
  readonly startMinute: number
  readonly endMinute: number
}

/**
 * The times at which the SIM began to send its recent messages, oldest first, and the random pause after the newest of
 * them.
 */
export interface PaceHistory {
  readonly sentMs: readonly number[]
  readonly pauseMs: number
}

export type PaceDecision =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly untilMs: number; readonly why: 'pause' | 'limit' | 'work-hours' }

/** @param minuteOfDay minutes since local midnight at a wall time */
export function decidePace(
  pace: Pace,
  history: PaceHistory,
  wallMs: number,
  minuteOfDay: (wallMs: number) => number,
): PaceDecision {
  const untilWorkMs = untilWorkHours(pace.workHours, wallMs, minuteOfDay)
  if (untilWorkMs > wallMs) return { kind: 'wait', untilMs: untilWorkMs, why: 'work-hours' }
  const limited = limitedUntilMs(pace, history, wallMs)
  if (limited > wallMs) return { kind: 'wait', untilMs: limited, why: 'limit' }
  const pausedUntilMs = (history.sentMs.at(-1) ?? Number.NEGATIVE_INFINITY) + history.pauseMs
  if (pausedUntilMs > wallMs) return { kind: 'wait', untilMs: pausedUntilMs, why: 'pause' }
  return { kind: 'go' }
}

/** Moves the times in the history back by as much as the clock was set back, so that no pause becomes longer. */
export function setBack(history: PaceHistory, byMs: number): PaceHistory {
  return { ...history, sentMs: history.sentMs.map((ms) => ms - byMs) }
}

/** Adds a message that was sent. */
export function afterSending(pace: Pace, history: PaceHistory, wallMs: number, random: number): PaceHistory {
  // Keeps the history even without a limit, because a limit may be configured later.
  const keep = pace.limit?.value ?? mostRemembered
  const sentMs = history.sentMs.slice(Math.max(0, history.sentMs.length - keep + 1))
  sentMs.push(wallMs)
  return { sentMs, pauseMs: pauseAfter(pace, random) }
}

/** The random pause between two messages. */
export function pauseAfter({ intervalMinMs, intervalMaxMs }: Pace, random: number): number {
  return intervalMinMs + (intervalMaxMs - intervalMinMs) * random
}

const mostRemembered = 1000

function limitedUntilMs({ limit }: Pace, { sentMs }: PaceHistory, wallMs: number): number {
  if (limit === undefined) return wallMs
  const within = sentMs.filter((ms) => ms > wallMs - limit.periodMs && ms <= wallMs)
  if (within.length < limit.value) return wallMs
  // The oldest message that counts towards the limit leaves the period at this time, so that another message may be
  // sent.
  return (within[within.length - limit.value] ?? wallMs) + limit.periodMs
}

function untilWorkHours(hours: WorkHours | undefined, wallMs: number, minuteOfDay: (wallMs: number) => number): number {
  if (hours === undefined || hours.startMinute === hours.endMinute) return wallMs
  const minute = minuteOfDay(wallMs)
  const { startMinute, endMinute } = hours
  const isOpen =
    startMinute < endMinute ? minute >= startMinute && minute < endMinute : minute >= startMinute || minute < endMinute
  if (isOpen) return wallMs
  const minutesToGo = (startMinute - minute + 24 * 60) % (24 * 60)
  // The minutes are counted from the beginning of the current minute.
  return Math.floor(wallMs / 60_000) * 60_000 + minutesToGo * 60_000
}
