import type { RecoveryState } from '@smsgw/modem/recovery/state'
import {
  type ModemHealth,
  modemProblemText,
  problemCode,
  signalPercent,
  simStateOf,
  stateText,
} from '../modems/modem-health.ts'

/**
 * A telemetry sample: the state of the modems. The sample contains no phone numbers and no message texts, and only the
 * last digits of each IMEI.
 */
export function telemetrySample<Facts extends object>(modems: readonly ModemHealth[], facts: Facts) {
  return { modems: modems.map(modemSample), ...facts }
}

function modemSample(health: ModemHealth) {
  const {
    address,
    secondPort,
    isShared,
    simNumber,
    state,
    session,
    operator,
    registration,
    signal,
    storage,
    dialogue,
    recovery,
  } = health
  return definedOnly({
    simNumber,
    port: address,
    secondPort,
    sharedWithModemManager: isShared || undefined,
    state: simStateOf(health),
    words: stateText(state),
    problem: modemProblemText(state),
    problemCode: problemCode(state),
    manufacturer: session?.identity.manufacturer,
    model: session && [session.identity.manufacturer, session.identity.model].filter(Boolean).join(' '),
    firmware: session?.identity.firmware,
    imeiEnd: session?.identity.imei?.slice(-4),
    operator,
    technology: registration?.technology,
    registration: registration?.status,
    networkClockAheadMs: clockDifference(health.networkClockAheadMs),
    signal: signalPercent(signal),
    signalDbm: signal?.dBm,
    bars: signal?.bars,
    rsrpDbm: signal?.rsrpDbm,
    rsrqDb: signal?.rsrqDb,
    storage: Object.fromEntries(storage.map(({ memory, used, total }) => [memory, { used, total }])),
    shortcomings: session?.shortcomings,
    dialogue: dialogue && {
      state: dialogue.state,
      waiting: dialogue.submissionsWaiting,
      queued: dialogue.queued,
      timeouts: dialogue.timeouts,
      resynchronisations: dialogue.resynchronisations,
      broadcastsIgnored: dialogue.broadcastsIgnored,
    },
    recovery: recovery && recoverySample(recovery),
  })
}

/**
 * Returns undefined for small differences: the time from the network is accurate to some seconds at best, and a modem
 * may report it late.
 */
function clockDifference(aheadMs: number | undefined): number | undefined {
  if (aheadMs === undefined || Math.abs(aheadMs) < notableDifferenceMs) return undefined
  return Math.round(aheadMs / minuteMs) * minuteMs
}

const minuteMs = 60_000
const notableDifferenceMs = 2 * minuteMs

/** Returns the state of the recovery. `steps` lists what was found and tried since the problem began, oldest first. */
function recoverySample(state: RecoveryState) {
  const resetsLeft = state.budget.resetsLeft
  if (state.kind === 'healthy') {
    return definedOnly({ state: state.kind, resetsLeft, healedBy: state.before?.rung, steps: [] })
  }
  const { outage } = state
  return definedOnly({
    state: state.kind,
    resetsLeft,
    rung: outage.rung,
    tried: outage.tried,
    cause: state.kind === 'alarm' ? state.cause.kind : undefined,
    steps: outage.evidence.slice(-maxSteps).map(({ step, rung, found }) => definedOnly({ step, rung, found })),
  })
}

const maxSteps = 8

/** Removes undefined members, which JSON cannot represent. */
function definedOnly<T extends object>(values: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
