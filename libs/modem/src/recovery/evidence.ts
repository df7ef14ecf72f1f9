import type { ModemState } from '../modem-state.ts'
import { type StartupFailure, type StartupFailureReason, silentFailures } from '../setup/startup-failure.ts'
import type { ModemOutage } from './state.ts'

/**
 * `serving`: messages can be sent. `unserved`: the modem works but has no network. `silent`: the modem is set up but
 * does not answer.
 */
export type ServiceHealth = 'serving' | 'unserved' | 'starting' | 'silent' | 'absent' | 'blocked'

/** Returns the health of a modem in this state. */
export function serviceHealthOf(modem: ModemState): ServiceHealth {
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

export function describeState(modem: ModemState): string {
  switch (modem.name) {
    case 'absent':
      return modem.why
    case 'blocked':
      return modem.failure.words
    case 'degraded':
      return `the modem is ${modem.reasons.join(', ')}`
    default:
      return `the modem is ${modem.name}`
  }
}

export function failureOf(modem: ModemState): StartupFailure | undefined {
  return modem.name === 'blocked' ? modem.failure : undefined
}

/** True if the modem sent anything readable before setup failed. */
export function wasHeard(failure: StartupFailure): boolean {
  return !silentFailures.has(failure.reason)
}

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
  'login-required',
  'login-refused',
])

/**
 * Returns true if only a person can solve the problem. A reset may bring back a SIM that was present before; a SIM that
 * was never present must be inserted.
 */
export function needsHands(failure: StartupFailure, wasHealthy: boolean): boolean {
  if (failure.reason === 'no-sim' || failure.reason === 'sim-failure') return !wasHealthy
  return handsNeeded.has(failure.reason)
}

export function noRemedy({ goal, tried }: ModemOutage): string {
  const what = goal === 'service' ? 'The modem finds no network' : 'The modem does not work'
  return `${what}. These measures did not help: ${tried.join(', ')}. The modem is not reset again until it has worked for a while.`
}
