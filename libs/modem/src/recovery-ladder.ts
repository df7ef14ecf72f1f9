/** What can be done for a modem whose port is open, from the gentlest to the roughest. */
export const ladder = ['resynchronise', 'reopen', 're-initialise', 'restart-radio', 'reset'] as const
export type Rung = (typeof ladder)[number]

/**
 * The gentlest rung that has not been tried and can be of use; `reset` when none is left, as often as it is allowed.
 * `heard`: the modem answered the last time.
 */
export function nextRung(tried: readonly Rung[], heard: boolean): Rung {
  return ladder.find((rung) => !tried.includes(rung) && canHelp(rung, heard)) ?? 'reset'
}

/** The rung and all that are gentler: what is pointless once this one has been tried. */
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
      // A modem that does not hear cannot be told.
      return heard
    case 'reset':
      // Told all the same: some that do not answer still hear.
      return true
  }
}
