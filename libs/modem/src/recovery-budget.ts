/**
 * How often a modem may be reset. A reset drops what the modem is doing, wears flash, and takes the port away from under
 * everybody; a modem that three of them did not help will not be helped by a hundred. So resets are counted, each waits
 * longer than the one before, and only a modem that stayed healthy earns them back.
 */
export interface RecoveryBudget {
  readonly resetsLeft: number
  readonly lastResetAtMs: number | undefined
  /** It has worked since this program runs: what is missing now was there. */
  readonly wasHealthy: boolean
}

export interface RecoveryBudgetOptions {
  readonly mostResets: number
  /** One reset is earned back for each such span of unbroken health. */
  readonly earnedBackAfterMs: number
  /** Between one reset and the next: the first entry before the second reset, and so on; the last for all that follow. */
  readonly resetPausesMs: readonly number[]
}

export function fullBudget(options: RecoveryBudgetOptions): RecoveryBudget {
  return { resetsLeft: options.mostResets, lastResetAtMs: undefined, wasHealthy: false }
}

/** When the next reset may be made; undefined when none is left. */
export function nextResetAtMs(budget: RecoveryBudget, options: RecoveryBudgetOptions): number | undefined {
  if (budget.resetsLeft <= 0) return undefined
  if (budget.lastResetAtMs === undefined) return Number.NEGATIVE_INFINITY
  const spent = options.mostResets - budget.resetsLeft
  const pauses = options.resetPausesMs
  const pauseMs = spent === 0 ? 0 : (pauses[Math.min(spent, pauses.length) - 1] ?? 0)
  return budget.lastResetAtMs + pauseMs
}

export function spendReset(budget: RecoveryBudget, atMs: number): RecoveryBudget {
  return { ...budget, resetsLeft: budget.resetsLeft - 1, lastResetAtMs: atMs }
}

export function earnBack(budget: RecoveryBudget, healthyForMs: number, options: RecoveryBudgetOptions): RecoveryBudget {
  const earned = Math.floor(Math.max(0, healthyForMs) / options.earnedBackAfterMs)
  return { ...budget, resetsLeft: Math.min(options.mostResets, budget.resetsLeft + earned) }
}
