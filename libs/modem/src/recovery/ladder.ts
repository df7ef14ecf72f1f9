/** The remedies for a modem with an open port, from the gentlest to the most drastic. */
export const ladder = ['resynchronise', 'reopen', 're-initialise', 'restart-radio', 'reset'] as const
export type Rung = (typeof ladder)[number]

/**
 * Returns the gentlest remedy that has not been tried and can help, or `reset` if there is none; the budget limits
 * resets. `heard`: the modem answered at the last attempt.
 */
export function nextRung(tried: readonly Rung[], heard: boolean): Rung {
  return ladder.find((rung) => !tried.includes(rung) && canHelp(rung, heard)) ?? 'reset'
}

/** Returns the remedy and all gentler ones, which are pointless once this remedy has been tried. */
export function upTo(rung: Rung | undefined): readonly Rung[] {
  return rung === undefined ? [] : ladder.slice(0, ladder.indexOf(rung) + 1)
}

function canHelp(rung: Rung, heard: boolean): boolean {
  switch (rung) {
    case 'resynchronise':
    case 'reopen':
      return !heard
    case 're-initialise':
    case 'restart-radio':
      // A modem that does not answer cannot be configured.
      return heard
    case 'reset':
      // A reset is written in any case, because some modems that do not answer still read their input.
      return true
  }
}
