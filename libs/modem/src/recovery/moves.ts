import { earnBack, fullBudget, nextResetAtMs, spendReset } from './budget.ts'
import { noRemedy } from './evidence.ts'
import { nextRung, type Rung, upTo } from './ladder.ts'
import {
  type AlarmCause,
  type Alarmed,
  defaultRecoveryOptions,
  type Healthy,
  type RecoveryEffect,
  type RecoveryOptions,
  type RecoveryState,
  type RecoveryStep,
  type Trouble,
  type Troubled,
} from './state.ts'

// The transitions between recovery states; `recovery.ts` decides which one is taken, and when.

/** The initial state. */
export function beginRecovery(atMs: number, options: RecoveryOptions = defaultRecoveryOptions): RecoveryStep {
  const trouble: Trouble = { ...freshTrouble, sinceMs: atMs, awaySinceMs: atMs }
  return openPort({ trouble, budget: fullBudget(options), attempt: 0, deadlineMs: atMs }, { atMs, options })
}

export interface Now {
  readonly atMs: number
  readonly options: RecoveryOptions
}

export type Patient = Extract<RecoveryState, Troubled>
export type Starting = Extract<RecoveryState, { kind: 'starting' }>

/** The remedy did not help: try the next one. */
export function climb(state: Troubled, now: Now): RecoveryStep {
  const { atMs, options } = now
  const tried = withTried(state, state.trouble.rung === undefined ? [] : [state.trouble.rung]).trouble.tried
  const rung = nextRung(tried, state.trouble.heard)
  const onto: Troubled = { ...state, trouble: { ...state.trouble, tried, rung } }
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
      return openPort({ ...onto, trouble: { ...onto.trouble, awaySinceMs: undefined } }, now)
    case 're-initialise':
      return setUp(onto, now)
    case 'restart-radio':
      return { state: { ...starting(onto, now), attempt }, effects: [{ kind: 'restart-radio', attempt }] }
    case 'reset':
      return reset(onto, now)
  }
}

function reset(state: Troubled, now: Now): RecoveryStep {
  const { atMs, options } = now
  const allowedAtMs = nextResetAtMs(state.budget, options)
  if (allowedAtMs === undefined) {
    return alarm(state, { kind: 'no-remedy', words: noRemedy(state.trouble) }, true, now)
  }
  if (allowedAtMs > atMs) return withoutEffects({ ...core(state), kind: 'resting', deadlineMs: allowedAtMs })
  const attempt = state.attempt + 1
  const resetting: RecoveryState = {
    ...core(state),
    kind: 'resetting',
    // The port closes because of the reset and has time to return.
    trouble: { ...state.trouble, awaySinceMs: undefined },
    budget: spendReset(state.budget, atMs),
    attempt,
    deadlineMs: atMs + options.resetLimitMs,
  }
  return { state: resetting, effects: [{ kind: 'reset', attempt }] }
}

export function returning(state: Troubled, { atMs, options }: Now): RecoveryStep {
  return withoutEffects({
    ...core(state),
    kind: 'returning',
    attempt: state.attempt + 1,
    deadlineMs: atMs + options.settleMs,
  })
}

export function openPort(state: Troubled, { atMs, options }: Now): RecoveryStep {
  const attempt = state.attempt + 1
  const trouble = { ...state.trouble, awaySinceMs: state.trouble.awaySinceMs ?? atMs }
  return {
    state: { ...core(state), kind: 'away', doing: 'opening', trouble, attempt, deadlineMs: atMs + options.openLimitMs },
    effects: [{ kind: 'open-port', attempt }],
  }
}

export function retryOrAlarm(state: Troubled, words: string, now: Now): RecoveryStep {
  const { atMs, options } = now
  const goneForMs = atMs - (state.trouble.awaySinceMs ?? atMs)
  if (goneForMs >= options.awayLimitMs) return alarm(state, { kind: 'gone', words }, false, now)
  // The attempt ends here, and a port that opens later is closed again.
  const attempt = state.attempt + 1
  return withoutEffects({
    ...core(state),
    kind: 'away',
    doing: 'waiting',
    attempt,
    deadlineMs: atMs + options.awayLookMs,
  })
}

export function setUp(state: Troubled, now: Now): RecoveryStep {
  const attempt = state.attempt + 1
  return { state: { ...starting(state, now), attempt }, effects: [{ kind: 'set-up', attempt }] }
}

export function starting(state: Troubled, { atMs, options }: Now): Starting {
  const trouble = { ...state.trouble, heard: false }
  return { ...core(state), kind: 'starting', begun: false, trouble, deadlineMs: atMs + options.startLimitMs }
}

export function healed(state: Patient, service: boolean, now: Now): RecoveryStep {
  const { trouble, budget, attempt } = state
  const effects: RecoveryEffect[] = [
    { kind: 'healed', by: trouble.rung, tookMs: now.atMs - trouble.sinceMs, evidence: trouble.evidence },
  ]
  if (state.kind === 'alarm') effects.unshift({ kind: 'clear-alarm' })
  const healthy: Healthy = {
    kind: 'healthy',
    sinceMs: now.atMs,
    service,
    deadlineMs: service ? undefined : unservedUntil(now),
    before: trouble,
    budget: { ...budget, wasHealthy: true },
    attempt: attempt + 1,
  }
  return { state: healthy, effects }
}

/** Leaves `healthy`. In a relapse the remedy that helped recently is not repeated. */
export function fallen(state: Healthy, goal: Trouble['goal'], why: string, { atMs, options }: Now): Troubled {
  const healthyForMs = atMs - state.sinceMs
  const { before } = state
  const relapsed = before !== undefined && healthyForMs < options.relapseMs
  const tried = relapsed ? union(before.tried, upTo(before.rung)) : []
  const trouble: Trouble = {
    ...freshTrouble,
    sinceMs: atMs,
    goal,
    tried,
    heard: goal === 'service',
    evidence: [{ atMs, step: 'healthy', rung: undefined, found: why }],
  }
  return { trouble, budget: earnBack(state.budget, healthyForMs, options), attempt: state.attempt, deadlineMs: atMs }
}

// ── Alarm ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export function alarm(state: Troubled, cause: AlarmCause, portOpen: boolean, now: Now): RecoveryStep {
  const alarmed: Alarmed = { ...core(state), kind: 'alarm', cause, portOpen, doing: 'waiting', deadlineMs: 0 }
  return {
    state: waitInAlarm(alarmed, now),
    effects: [{ kind: 'raise-alarm', cause, evidence: state.trouble.evidence }],
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

const freshTrouble: Trouble = {
  sinceMs: 0,
  goal: 'answer',
  rung: undefined,
  tried: [],
  heard: false,
  awaySinceMs: undefined,
  evidence: [],
}

export function found<S extends Patient>(state: S, words: string, { atMs }: Now): S {
  const { trouble } = state
  const evidence = [...trouble.evidence, { atMs, step: state.kind, rung: trouble.rung, found: words }]
  return { ...state, trouble: { ...trouble, evidence: evidence.slice(-mostEvidence) } }
}

export function heardOf<S extends Troubled>(state: S): S {
  return { ...state, trouble: { ...state.trouble, heard: true } }
}

/** The port closed without a request. */
export function lost<S extends Troubled>(state: S, { atMs }: Now): S {
  return { ...state, trouble: { ...state.trouble, awaySinceMs: state.trouble.awaySinceMs ?? atMs } }
}

export function withTried<S extends Troubled>(state: S, rungs: readonly Rung[]): S {
  return { ...state, trouble: { ...state.trouble, tried: union(state.trouble.tried, rungs) } }
}

function union(a: readonly Rung[], b: readonly Rung[]): readonly Rung[] {
  return [...new Set([...a, ...b])]
}

export function unservedUntil({ atMs, options }: Now): number {
  return atMs + options.serviceLimitMs
}

/** The fields that every state except `healthy` keeps. */
function core({ trouble, budget, attempt, deadlineMs }: Troubled): Troubled {
  return { trouble, budget, attempt, deadlineMs }
}

/** Changes the state without effects. */
export function withoutEffects(state: RecoveryState): RecoveryStep {
  return { state, effects: [] }
}
