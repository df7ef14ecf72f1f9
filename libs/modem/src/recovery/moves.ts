import { earnBack, fullRecoveryBudget, nextResetAtMs, spendReset } from './budget.ts'
import { noRemedy } from './evidence.ts'
import { nextRung, type Rung, upTo } from './ladder.ts'
import {
  type AlarmCause,
  type Alarmed,
  defaultRecoveryOptions,
  type Healthy,
  type ModemOutage,
  type RecoveryEffect,
  type RecoveryOptions,
  type RecoveryState,
  type RecoveryStep,
  type Unhealthy,
} from './state.ts'

// The transitions between recovery states; `recovery.ts` decides which transition is taken, and when.

/** The initial state. */
export function beginRecovery(atMs: number, options: RecoveryOptions = defaultRecoveryOptions): RecoveryStep {
  const outage: ModemOutage = { ...newOutage, sinceMs: atMs, awaySinceMs: atMs }
  return tryPort({ outage, budget: fullRecoveryBudget(options), attempt: 0, deadlineMs: atMs }, { atMs, options })
}

export interface Now {
  readonly atMs: number
  readonly options: RecoveryOptions
}

export type UnhealthyState = Extract<RecoveryState, Unhealthy>
export type Starting = Extract<RecoveryState, { kind: 'starting' }>

/** Tries the next remedy, because the last remedy did not help. */
export function climb(state: Unhealthy, now: Now): RecoveryStep {
  const { atMs, options } = now
  const tried = withTried(state, state.outage.rung === undefined ? [] : [state.outage.rung]).outage.tried
  const { mayPowerCycle } = options
  const rung = nextRung(tried, { heard: state.outage.heard, mayPowerCycle, wasHealthy: state.budget.wasHealthy })
  const onto: Unhealthy = { ...state, outage: { ...state.outage, tried, rung } }
  const attempt = state.attempt + 1
  switch (rung) {
    case 'resynchronise': {
      const deadlineMs = atMs + options.resynchroniseLimitMs
      return {
        state: { ...core(onto), kind: 'resynchronising', attempt, deadlineMs },
        effects: [{ kind: 'resynchronise', attempt }],
      }
    }
    case 'reopen':
      return tryPort({ ...onto, outage: { ...onto.outage, awaySinceMs: undefined } }, now)
    case 're-initialise':
      return setUp(onto, now)
    case 'restart-radio':
      return { state: { ...starting(onto, now), attempt }, effects: [{ kind: 'restart-radio', attempt }] }
    case 'reset':
    case 'power-cycle':
      return reset(onto, rung, now)
  }
}

function reset(state: Unhealthy, rung: 'reset' | 'power-cycle', now: Now): RecoveryStep {
  const { atMs, options } = now
  const allowedAtMs = nextResetAtMs(state.budget, options)
  if (allowedAtMs === undefined) {
    return alarm(state, { kind: 'no-remedy', words: noRemedy(state.outage) }, true, now)
  }
  if (allowedAtMs > atMs) {
    const outage = { ...state.outage, rung: undefined }
    return withoutEffects({ ...core(state), kind: 'resting', outage, deadlineMs: allowedAtMs })
  }
  const attempt = state.attempt + 1
  const resetting: RecoveryState = {
    ...core(state),
    kind: 'resetting',
    // The reset closes the port, so the time since its loss starts again.
    outage: { ...state.outage, awaySinceMs: undefined },
    budget: spendReset(state.budget, atMs),
    attempt,
    deadlineMs: atMs + options.resetLimitMs,
  }
  return { state: resetting, effects: [{ kind: rung, attempt }] }
}

/**
 * If a device is no longer visible on USB, switches its socket off and on, once in each outage. The port is opened when
 * the device is visible again.
 */
function powerCycleMissing(state: Unhealthy, { atMs, options }: Now): RecoveryStep {
  const attempt = state.attempt + 1
  const switched = withTried(state, ['power-cycle'])
  const waiting: RecoveryState = {
    ...core(switched),
    kind: 'away',
    doing: 'waiting',
    outage: { ...switched.outage, rung: 'power-cycle', awaySinceMs: atMs },
    budget: spendReset(state.budget, atMs),
    attempt,
    deadlineMs: atMs + options.settleMs,
  }
  return { state: waiting, effects: [{ kind: 'power-cycle', attempt }] }
}

/**
 * A requested reset does not reduce the number of automatic resets, but it restarts the pause before the next automatic
 * reset. All gentler remedies are skipped afterwards, because a reset includes them.
 */
export function requestedReset(state: Unhealthy, { atMs, options }: Now): RecoveryStep {
  const attempt = state.attempt + 1
  const resetting: RecoveryState = {
    ...core(state),
    kind: 'resetting',
    outage: { ...state.outage, tried: upTo('restart-radio'), rung: 'reset', awaySinceMs: undefined },
    budget: { ...state.budget, lastResetAtMs: atMs },
    attempt,
    deadlineMs: atMs + options.resetLimitMs,
  }
  return { state: resetting, effects: [{ kind: 'reset', attempt }] }
}

export function returning(state: Unhealthy, { atMs, options }: Now): RecoveryStep {
  return withoutEffects({
    ...core(state),
    kind: 'returning',
    attempt: state.attempt + 1,
    deadlineMs: atMs + options.settleMs,
  })
}

export function tryPort(state: Unhealthy, { atMs, options }: Now): RecoveryStep {
  const attempt = state.attempt + 1
  const outage = { ...state.outage, awaySinceMs: state.outage.awaySinceMs ?? atMs }
  return {
    state: { ...core(state), kind: 'away', doing: 'opening', outage, attempt, deadlineMs: atMs + options.openLimitMs },
    effects: [{ kind: 'open-port', attempt }],
  }
}

export function retryOrAlarm(state: Unhealthy, words: string, now: Now): RecoveryStep {
  const { atMs, options } = now
  const goneForMs = atMs - (state.outage.awaySinceMs ?? atMs)
  if (goneForMs >= options.awayLimitMs) {
    const mayCycle = options.mayPowerCycle && !state.outage.tried.includes('power-cycle')
    const allowedAtMs = nextResetAtMs(state.budget, options)
    if (mayCycle && allowedAtMs !== undefined && allowedAtMs <= atMs) return powerCycleMissing(state, now)
    return alarm(state, { kind: 'gone', words }, false, now)
  }
  // Gives up opening the port. A port that opens later is closed again.
  const attempt = state.attempt + 1
  return withoutEffects({
    ...core(state),
    kind: 'away',
    doing: 'waiting',
    attempt,
    deadlineMs: atMs + options.awayLookMs,
  })
}

export function setUp(state: Unhealthy, now: Now): RecoveryStep {
  const attempt = state.attempt + 1
  return { state: { ...starting(state, now), attempt }, effects: [{ kind: 'set-up', attempt }] }
}

export function starting(state: Unhealthy, { atMs, options }: Now): Starting {
  const outage = { ...state.outage, heard: false }
  return { ...core(state), kind: 'starting', begun: false, outage, deadlineMs: atMs + options.startLimitMs }
}

export function healed(state: UnhealthyState, service: boolean, now: Now): RecoveryStep {
  const { outage, budget, attempt } = state
  const effects: RecoveryEffect[] = [
    { kind: 'healed', by: outage.rung, tookMs: now.atMs - outage.sinceMs, evidence: outage.evidence },
  ]
  if (state.kind === 'alarm') effects.unshift({ kind: 'clear-alarm' })
  const healthy: Healthy = {
    kind: 'healthy',
    sinceMs: now.atMs,
    service,
    deadlineMs: service ? undefined : unservedUntil(now),
    before: outage,
    budget: { ...budget, wasHealthy: true },
    attempt: attempt + 1,
  }
  return { state: healthy, effects }
}

/** Leaves `healthy`. A remedy that helped only for a short time is not repeated. */
export function fallen(state: Healthy, goal: ModemOutage['goal'], why: string, { atMs, options }: Now): Unhealthy {
  const healthyForMs = atMs - state.sinceMs
  const { before } = state
  const relapsed = before !== undefined && healthyForMs < options.relapseMs
  const tried = relapsed ? union(before.tried, upTo(before.rung)) : []
  const outage: ModemOutage = {
    ...newOutage,
    sinceMs: atMs,
    goal,
    tried,
    heard: goal === 'service',
    evidence: [{ atMs, step: 'healthy', rung: undefined, found: why }],
  }
  return { outage, budget: earnBack(state.budget, healthyForMs, options), attempt: state.attempt, deadlineMs: atMs }
}

// ── Alarm ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export function alarm(state: Unhealthy, cause: AlarmCause, portOpen: boolean, now: Now): RecoveryStep {
  const alarmed: Alarmed = { ...core(state), kind: 'alarm', cause, portOpen, doing: 'waiting', deadlineMs: 0 }
  return {
    state: waitInAlarm(alarmed, now),
    effects: [{ kind: 'raise-alarm', cause, evidence: state.outage.evidence }],
  }
}

export function raiseAlarmAgain(state: Alarmed, kind: 'gone' | 'port-refused', words: string, now: Now): RecoveryStep {
  if (state.cause.kind === kind) return withoutEffects(waitInAlarm({ ...state, portOpen: false }, now))
  return alarm(found(state, words, now), { kind, words }, false, now)
}

export function waitInAlarm(state: Alarmed, { atMs, options }: Now): Alarmed {
  return { ...state, doing: 'waiting', attempt: state.attempt + 1, deadlineMs: atMs + options.alarmLookMs }
}

export function lookByOpening(state: Alarmed, { atMs, options }: Now): RecoveryStep {
  const attempt = state.attempt + 1
  const opening: Alarmed = {
    ...state,
    doing: 'opening',
    portOpen: false,
    attempt,
    deadlineMs: atMs + options.openLimitMs,
  }
  return { state: opening, effects: [{ kind: 'open-port', attempt }] }
}

export function lookBySettingUp(state: Alarmed, { atMs, options }: Now): RecoveryStep {
  const attempt = state.attempt + 1
  return {
    state: { ...state, doing: 'starting', attempt, deadlineMs: atMs + options.startLimitMs },
    effects: [{ kind: 'set-up', attempt }],
  }
}

const mostEvidence = 30

const newOutage: ModemOutage = {
  sinceMs: 0,
  goal: 'answer',
  rung: undefined,
  tried: [],
  heard: false,
  awaySinceMs: undefined,
  evidence: [],
}

export function found<S extends UnhealthyState>(state: S, words: string, { atMs }: Now): S {
  const { outage } = state
  const evidence = [...outage.evidence, { atMs, step: state.kind, rung: outage.rung, found: words }]
  return { ...state, outage: { ...outage, evidence: evidence.slice(-mostEvidence) } }
}

export function heardOf<S extends Unhealthy>(state: S): S {
  return { ...state, outage: { ...state.outage, heard: true } }
}

/** Handles a port that was closed, but not by the driver. */
export function lost<S extends Unhealthy>(state: S, { atMs }: Now): S {
  return { ...state, outage: { ...state.outage, awaySinceMs: state.outage.awaySinceMs ?? atMs } }
}

export function withTried<S extends Unhealthy>(state: S, rungs: readonly Rung[]): S {
  return { ...state, outage: { ...state.outage, tried: union(state.outage.tried, rungs) } }
}

function union(a: readonly Rung[], b: readonly Rung[]): readonly Rung[] {
  return [...new Set([...a, ...b])]
}

export function unservedUntil({ atMs, options }: Now): number {
  return atMs + options.serviceLimitMs
}

/** The fields that every state except `healthy` keeps. */
function core({ outage, budget, attempt, deadlineMs }: Unhealthy): Unhealthy {
  return { outage, budget, attempt, deadlineMs }
}

/** Returns a step that changes the state but has no effects. */
export function withoutEffects(state: RecoveryState): RecoveryStep {
  return { state, effects: [] }
}
