/** The remedies for a modem, from the gentlest to the most drastic. All except the last need an open port. */
export const ladder = ['resynchronise', 'reopen', 're-initialise', 'restart-radio', 'reset', 'power-cycle'] as const
export type Rung = (typeof ladder)[number]

/** What limits the choice of a remedy. */
export interface RungLimits {
  /** The modem answered at the last attempt. */
  readonly heard: boolean
  readonly mayPowerCycle: boolean
  /** The modem has worked before, so it is probably not switched off. */
  readonly wasHealthy: boolean
}

/**
 * Returns the gentlest remedy that was not tried and may help. If no such remedy is left, returns the most drastic
 * remedy. The budget limits resets and power cycles.
 */
export function nextRung(tried: readonly Rung[], limits: RungLimits): Rung {
  const untried = ladder.find((rung) => !tried.includes(rung) && canHelp(rung, limits))
  return untried ?? (limits.mayPowerCycle ? 'power-cycle' : 'reset')
}

/** Returns the remedy and all gentler remedies. After a remedy was tried, these remedies cannot help any more. */
export function upTo(rung: Rung | undefined): readonly Rung[] {
  return rung === undefined ? [] : ladder.slice(0, ladder.indexOf(rung) + 1)
}

function canHelp(rung: Rung, { heard, mayPowerCycle, wasHealthy }: RungLimits): boolean {
  switch (rung) {
    case 'resynchronise':
    case 'reopen':
      return !heard
    case 're-initialise':
    case 'restart-radio':
      // A modem that does not answer cannot be configured.
      return heard
    case 'reset':
      // A reset is also written to a modem that does not answer, because some such modems still read their input. A
      // modem that never answered is probably switched off, for example a HAT after power-up.
      return heard || wasHealthy || !mayPowerCycle
    case 'power-cycle':
      return mayPowerCycle
  }
}
