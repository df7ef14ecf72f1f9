import type { Registration } from '@smsgw/modem/commands/registration'
import type { Signal } from '@smsgw/modem/commands/signal'
import type { Modem } from '@smsgw/modem/modem'
import type { ModemState } from '@smsgw/modem/modem-state'
import type { RecoveryState } from '@smsgw/modem/recovery-state'
import type { Session } from '@smsgw/modem/startup'
import type { StorageGauge } from '@smsgw/modem/storage-gauges'

/** Everything there is to show of a modem. */
export interface ModemHealth {
  /** The port that it is on, or was on last. */
  readonly address: string
  readonly state: ModemState
  readonly simNumber: number | undefined
  readonly session: Session | undefined
  readonly registration: Registration | undefined
  /** As the modem writes it. */
  readonly operator: string | undefined
  readonly signal: Signal | undefined
  readonly storage: readonly StorageGauge[]
  readonly dialogue: Modem['telemetry'] | undefined
  readonly recovery: RecoveryState | undefined
}

/** The state of its SIM, as the API names it. */
export function simStateOf(state: ModemState, registration: Registration | undefined): string {
  switch (state.name) {
    case 'absent':
      return 'absent'
    case 'probing':
    case 'identifying':
    case 'sim':
      return 'starting'
    case 'registering':
      return searching(registration)
    case 'ready':
      return 'ready'
    case 'degraded':
      return state.reasons.includes('not-registered') ? searching(registration) : 'degraded'
    case 'blocked':
      return blockedStates[state.failure.reason] ?? 'failed'
  }
}

function searching(registration: Registration | undefined): string {
  return registration?.status === 'denied' ? 'denied' : 'searching'
}

const blockedStates: Readonly<Record<string, string>> = {
  'no-sim': 'absent',
  'pin-required': 'locked',
  'pin-malformed': 'locked',
  'pin-tries-unknown': 'locked',
  'pin-last-try': 'locked',
  'pin-wrong': 'locked',
  'pin-not-taken': 'locked',
  'pin-not-kept': 'locked',
  'puk-required': 'puk',
}

/** One line for people. */
export function stateWords(state: ModemState): string {
  switch (state.name) {
    case 'absent':
      return `not there: ${state.why}`
    case 'blocked':
      return `${state.failure.words} ${state.failure.advice}`
    case 'degraded':
      return `works with trouble: ${state.reasons.join(', ')}`
    default:
      return state.name
  }
}

/** The line of one that does not work as it should; of the others there is none. */
export function troubleWords(state: ModemState): string | undefined {
  return ['absent', 'blocked', 'degraded'].includes(state.name) ? stateWords(state) : undefined
}

/** As coarse as the bars of a phone: undefined when the modem does not know. */
export function signalPercent(signal: Signal | undefined): number | undefined {
  return signal?.bars === undefined ? undefined : signal.bars * 25
}
