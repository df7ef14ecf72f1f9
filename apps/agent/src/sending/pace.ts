/** How one SIM is paced, as the account's settings have it. Messages are counted, not parts: those of one go out together. */
export interface Pace {
  /** A random pause between two messages. */
  readonly intervalMinMs: number
  readonly intervalMaxMs: number
  readonly limit: { readonly periodMs: number; readonly value: number } | undefined
  readonly workHours: WorkHours | undefined
}

/** Minutes since midnight, in the agent's zone; an end before the start crosses midnight, the same means all day. */
export interface WorkHours {
  readonly startMinute: number
  readonly endMinute: number
}

/** What the SIM has sent lately: when, the oldest first, and the pause drawn after the last one. */
export interface PaceHistory {
  readonly sentMs: readonly number[]
  readonly pauseMs: number
}

export const noHistory: PaceHistory = { sentMs: [], pauseMs: 0 }

/** 100 and more pass limits, pauses and work hours. */
export const urgentPriority = 100

export type PaceVerdict =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly untilMs: number; readonly why: 'pause' | 'limit' | 'work-hours' }

/** @param minuteOfDay of a wall time, in the agent's zone */
export function paceVerdict(
  pace: Pace,
  history: PaceHistory,
  wallMs: number,
  minuteOfDay: (wallMs: number) => number,
): PaceVerdict {
  const untilWorkMs = untilWorkHours(pace.workHours, wallMs, minuteOfDay)
  if (untilWorkMs > wallMs) return { kind: 'wait', untilMs: untilWorkMs, why: 'work-hours' }
  const limited = limitedUntilMs(pace, history, wallMs)
  if (limited > wallMs) return { kind: 'wait', untilMs: limited, why: 'limit' }
  const last = history.sentMs.at(-1)
  // A clock that was set back must not stretch a pause for hours.
  const pausedUntilMs = last === undefined ? wallMs : Math.min(last, wallMs) + history.pauseMs
  if (pausedUntilMs > wallMs) return { kind: 'wait', untilMs: pausedUntilMs, why: 'pause' }
  return { kind: 'go' }
}

/** After a message has gone out. */
export function afterSending(pace: Pace, history: PaceHistory, wallMs: number, chance: number): PaceHistory {
  // A limit may be set later.
  const keep = pace.limit?.value ?? mostRemembered
  return {
    sentMs: [...history.sentMs.slice(Math.max(0, history.sentMs.length - keep + 1)), wallMs],
    pauseMs: pauseAfter(pace, chance),
  }
}

/** Between one message and the next. */
export function pauseAfter({ intervalMinMs, intervalMaxMs }: Pace, chance: number): number {
  return intervalMinMs + (intervalMaxMs - intervalMinMs) * chance
}

const mostRemembered = 1000

function limitedUntilMs({ limit }: Pace, { sentMs }: PaceHistory, wallMs: number): number {
  if (limit === undefined) return wallMs
  const within = sentMs.filter((ms) => ms > wallMs - limit.periodMs && ms <= wallMs)
  if (within.length < limit.value) return wallMs
  // The one whose leaving makes room.
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
  // To the beginning of that minute.
  return Math.floor(wallMs / 60_000) * 60_000 + minutesToGo * 60_000
}
