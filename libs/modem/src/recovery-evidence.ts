import type { ModemState } from './modem-state.ts'
import type { Trouble } from './recovery-state.ts'
import type { StartupFailure, StartupFailureReason } from './startup/startup-failure.ts'

/** `serving`: messages can go out. `unserved`: it works, and has no network. `silent`: set up, and not answering. */
export type Wellness = 'serving' | 'unserved' | 'starting' | 'silent' | 'absent' | 'blocked'

/** What a state of the modem says about its health. */
export function wellnessOf(modem: ModemState): Wellness {
  switch (modem.name) {
    case 'ready':
      return 'serving'
    case 'registering':
      return 'unserved'
    case 'degraded':
      if (modem.reasons.includes('not-answering')) return 'silent'
      return modem.reasons.includes('not-registered') ? 'unserved' : 'serving'
    case 'absent':
    case 'blocked':
      return modem.name
    case 'probing':
    case 'identifying':
    case 'sim':
      return 'starting'
  }
}

export function wordsOf(modem: ModemState): string {
  switch (modem.name) {
    case 'absent':
      return modem.why
    case 'blocked':
      return modem.failure.words
    case 'degraded':
      return `it is ${modem.reasons.join(', ')}`
    default:
      return `it is ${modem.name}`
  }
}

export function failureOf(modem: ModemState): StartupFailure | undefined {
  return modem.name === 'blocked' ? modem.failure : undefined
}

/** Whether the modem said anything of sense before it was given up. */
export function wasHeard(failure: StartupFailure): boolean {
  return !silentFailures.has(failure.reason)
}

const silentFailures: ReadonlySet<StartupFailureReason> = new Set(['no-answer', 'garbled', 'fell-silent'])

const handsNeeded: ReadonlySet<StartupFailureReason> = new Set([
  'not-a-modem',
  'pin-required',
  'pin-malformed',
  'pin-tries-unknown',
  'pin-last-try',
  'pin-wrong',
  'pin-not-taken',
  'pin-not-kept',
  'puk-required',
  'modem-locked',
])

/** Whether only hands can mend it. A SIM that was there may be found again after a reset; one that never was has to be put in. */
export function needsHands(failure: StartupFailure, wasHealthy: boolean): boolean {
  if (failure.reason === 'no-sim' || failure.reason === 'sim-failure') return !wasHealthy
  return handsNeeded.has(failure.reason)
}

export function noRemedy({ goal, tried }: Trouble): string {
  const what = goal === 'service' ? 'It finds no network' : 'It does not work'
  return `${what}, and nothing helped: ${tried.join(', ')}. It will not be reset again until it has worked for a while.`
}
