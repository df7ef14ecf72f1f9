import type { FindingCode } from '@smsgw/contract/devices/finding-code'
import type { Registration } from '@smsgw/modem/commands/network/registration'
import type { Signal } from '@smsgw/modem/commands/network/signal'
import type { ModemTelemetry } from '@smsgw/modem/modem-driver'
import type { Degradation, ModemState } from '@smsgw/modem/modem-state'
import type { StorageGauge } from '@smsgw/modem/receive/storage-gauges'
import type { RecoveryState } from '@smsgw/modem/recovery/state'
import type { ModemSession } from '@smsgw/modem/setup/startup'
import type { StartupFailureReason } from '@smsgw/modem/setup/startup-failure'

/** The observable state of a modem. */
export interface ModemHealth {
  /** The port that is open; otherwise the port that was open last. */
  readonly address: string
  /** The second command port of the modem. */
  readonly secondPort?: SecondPortHealth | undefined
  /** True if ModemManager may use the other ports of the modem. */
  readonly isShared?: boolean
  readonly state: ModemState
  readonly simNumber: number | undefined
  readonly session: ModemSession | undefined
  readonly registration: Registration | undefined
  /** True if the SIM is roaming and the settings do not allow sending while roaming. */
  readonly isHeldWhileRoaming: boolean
  /** How far the clock of the network is ahead of the clock of this machine; undefined if not known. */
  readonly networkClockAheadMs: number | undefined
  /** The name that the modem reports. */
  readonly operator: string | undefined
  readonly signal: Signal | undefined
  readonly storage: readonly StorageGauge[]
  readonly dialogue: ModemTelemetry | undefined
  readonly recovery: RecoveryState | undefined
}

export interface SecondPortHealth {
  readonly address: string
  /** False while the modem is not set up, or does not answer on the port. */
  readonly isInUse: boolean
}

export function secondPortHealth(address: string | undefined, isInUse: boolean): SecondPortHealth | undefined {
  return address === undefined ? undefined : { address, isInUse }
}

/** Returns the state of the SIM as the API spells it. */
export function simStateOf({ state, registration, isHeldWhileRoaming }: SimStateFacts): string {
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
      return isHeldWhileRoaming ? 'roaming' : 'ready'
    case 'degraded':
      if (state.reasons.includes('not-registered')) return searching(registration)
      return isHeldWhileRoaming ? 'roaming' : 'degraded'
    case 'blocked':
      return blockedStates[state.failure.reason] ?? 'failed'
  }
}

type SimStateFacts = Pick<ModemHealth, 'state' | 'registration' | 'isHeldWhileRoaming'>

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

/**
 * True if a SIM with this registration is roaming. National roaming counts too, because modems do not distinguish it
 * from international roaming.
 */
export function isRoaming(registration: Registration | undefined): boolean {
  return registration?.status === 'roaming' || registration?.status === 'roaming-sms-only'
}

/** Describes a state in one line. */
export function stateText(state: ModemState): string {
  switch (state.name) {
    case 'absent':
      return `disconnected: ${state.why}`
    case 'blocked':
      return `${state.failure.words} ${state.failure.advice}`
    case 'degraded':
      return state.reasons.map((reason) => degradations[reason]).join(', ')
    case 'sim':
      return 'reading the SIM'
    default:
      return state.name
  }
}

const degradations: Readonly<Record<Degradation, string>> = {
  'not-registered': 'no network',
  'not-answering': 'the modem does not answer',
  'storage-full': 'the message storage is full',
}

/** Describes a state in which the modem does not work fully. Returns undefined if the modem works fully. */
export function modemProblemText(state: ModemState): string | undefined {
  return ['absent', 'blocked', 'degraded'].includes(state.name) ? stateText(state) : undefined
}

/**
 * Returns the code of the problem of a blocked modem. Other problems have no code, because the modem recovers from
 * them.
 */
export function problemCode(state: ModemState): FindingCode | undefined {
  return state.name === 'blocked' ? modemProblem(state.failure.reason) : undefined
}

export function modemProblem(reason: StartupFailureReason): FindingCode & `modem.${StartupFailureReason}` {
  return `modem.${reason}`
}

/**
 * Returns the signal in steps of 25 %, like the bars of a phone, or undefined if the modem does not report the signal.
 */
export function signalPercent(signal: Signal | undefined): number | undefined {
  return signal?.bars === undefined ? undefined : signal.bars * 25
}
