/**
 * Limits the resets of a modem. A reset interrupts the modem, wears its flash and closes the port for every program. A
 * modem that still fails after three resets will also fail after a hundred. Therefore the number of resets is limited,
 * the pauses between resets grow, and only a modem that stays healthy regains resets.
 */
export interface RecoveryBudget {
  readonly resetsLeft: number
  readonly lastResetAtMs: number | undefined
  /**
   * True if the modem has worked since this program started. In that case, a SIM or network that is missing now was
   * present before.
   */
  readonly wasHealthy: boolean
}

export interface RecoveryBudgetOptions {
  readonly mostResets: number
  /** One reset is regained per period of uninterrupted health. */
  readonly earnedBackAfterMs: number
  /**
   * The pauses between resets. The first entry is the pause before the second reset, and so on. The last entry applies
   * to all further resets.
   */
  readonly resetPausesMs: readonly number[]
}

export function fullRecoveryBudget(options: RecoveryBudgetOptions): RecoveryBudget {
  return { resetsLeft: options.mostResets, lastResetAtMs: undefined, wasHealthy: false }
}

/** The earliest time of the next reset; undefined if no reset is left. */
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
