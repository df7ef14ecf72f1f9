import type { RecoveryState } from '@smsgw/modem/recovery-state'
import { type ModemHealth, signalPercent, simStateOf, stateWords, troubleWords } from './modem-health.ts'

/** How this agent is, for the relay's short history and for people: no number, no text, and no more of an IMEI than its end. */
export function telemetrySample<Facts extends object>(modems: readonly ModemHealth[], facts: Facts) {
  return { modems: modems.map(modemSample), ...facts }
}

function modemSample(health: ModemHealth) {
  const { address, simNumber, state, session, operator, registration, signal, storage, dialogue, recovery } = health
  return withoutUnknown({
    simNumber,
    port: address,
    state: simStateOf(state, registration),
    words: stateWords(state),
    trouble: troubleWords(state),
    manufacturer: session?.identity.manufacturer,
    model: session && [session.identity.manufacturer, session.identity.model].filter(Boolean).join(' '),
    firmware: session?.identity.firmware,
    imeiEnd: session?.identity.imei.slice(-4),
    operator,
    technology: registration?.technology,
    registration: registration?.status,
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

/** `steps`: what was found and tried since it went wrong, the oldest first. */
function recoverySample(state: RecoveryState) {
  const resetsLeft = state.budget.resetsLeft
  if (state.kind === 'healthy') {
    return withoutUnknown({ state: state.kind, resetsLeft, healedBy: state.before?.rung, steps: [] })
  }
  const { trouble } = state
  return withoutUnknown({
    state: state.kind,
    resetsLeft,
    rung: trouble.rung,
    tried: trouble.tried,
    cause: state.kind === 'alarm' ? state.cause.kind : undefined,
    steps: trouble.evidence.slice(-mostSteps).map(({ step, rung, found }) => withoutUnknown({ step, rung, found })),
  })
}

const mostSteps = 8

/** JSON knows no undefined; what is not known is left out. */
function withoutUnknown<T extends object>(values: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
