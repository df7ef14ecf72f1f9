import type { ModemState } from '../modem-state.ts'
import { describeState, failureOf, needsHands, serviceHealthOf, wasHeard } from './evidence.ts'
import { upTo } from './ladder.ts'
import {
  alarm,
  climb,
  fallen,
  found,
  healed,
  heardOf,
  lookByOpening,
  lookBySettingUp,
  lost,
  type Now,
  raiseAlarmAgain,
  requestedReset,
  retryOrAlarm,
  returning,
  type Starting,
  setUp,
  starting,
  tryPort,
  type UnhealthyState,
  unservedUntil,
  waitInAlarm,
  withoutEffects,
  withTried,
} from './moves.ts'
import {
  type Alarmed,
  defaultRecoveryOptions,
  type Healthy,
  type RecoveryInput,
  type RecoveryOptions,
  type RecoveryState,
  type RecoveryStep,
} from './state.ts'

/**
 * Recovers a modem, as a pure state machine: `next(state, input, now)` returns the next state and the effects.
 *
 *              opened                    set up
 *     away ─────────────▶ starting ──────────────────▶ healthy
 *      ▲                  ▲  ▲   │                        │
 *      │ port lost,       │  │   │ blocked, too slow      │ silent, blocked, long without service
 *      │ from anywhere    │  │   ▼                        ▼
 *      │                  │  └── the next remedy of the ladder:
 *      │                  │        resynchronise ──▶ resynchronising ──▶ starting, or the next remedy
 *      ├──────────────────┼─────── reopen ────────▶ away
 *      │                  │        re-initialise, restart-radio ──▶ starting
 *      │          settled │        reset ──────────▶ resting (until it is allowed) ──▶ resetting
 *      └───────────── returning ◀─────────────────────────────────────────────────────────┤
 *                                  power-cycle, if the settings allow it ─────────────────┘
 *                                  none left ──────▶ alarm: checks periodically, never resets
 *
 * Each step ends with evidence or at its deadline. A successful setup proves that a remedy helped. `away` waits for
 * re-enumeration: the port is found by the identity of the device, even under a new name. A problem that only a person
 * can solve (PIN, SIM, permissions) leads to `alarm` at once. If a modem recovers by itself, any state ends, even
 * `alarm`. After an early relapse, the remedies that were already tried are skipped.
 */
export function nextRecovery(
  state: RecoveryState,
  input: RecoveryInput,
  options: RecoveryOptions = defaultRecoveryOptions,
): RecoveryStep {
  if ('attempt' in input && input.attempt !== state.attempt) return withoutEffects(state)
  if (input.kind === 'time' && (state.deadlineMs === undefined || input.atMs < state.deadlineMs)) {
    return withoutEffects(state)
  }
  const now = { atMs: input.atMs, options }
  if (input.kind === 'restart-requested') return restartRequested(state, now)
  switch (state.kind) {
    case 'healthy':
      return inHealth(state, input, now)
    case 'away':
      return whileAway(state, input, now)
    case 'starting':
      return whileStarting(state, input, now)
    case 'resynchronising':
      return whileResynchronising(state, input, now)
    case 'resting':
    case 'resetting':
    case 'returning':
      return aroundReset(state, input, now)
    case 'alarm':
      return inAlarm(state, input, now)
  }
}

/** Resets the modem now, even if no automatic reset is left. */
function restartRequested(state: RecoveryState, now: Now): RecoveryStep {
  const words = 'a restart was requested'
  switch (state.kind) {
    case 'healthy':
      return requestedReset(fallen(state, 'answer', words, now), now)
    case 'away':
      return state.doing === 'waiting' ? tryPort(found(state, words, now), now) : withoutEffects(state)
    case 'resetting':
    case 'returning':
      return withoutEffects(state)
    case 'alarm': {
      if (!state.portOpen) return state.doing === 'opening' ? withoutEffects(state) : lookByOpening(state, now)
      const step = requestedReset(found(state, words, now), now)
      return { ...step, effects: [{ kind: 'clear-alarm' }, ...step.effects] }
    }
    default:
      return requestedReset(found(state, words, now), now)
  }
}

function inHealth(state: Healthy, input: RecoveryInput, now: Now): RecoveryStep {
  if (input.kind === 'time') {
    const unhealthy = fallen(state, 'service', 'no network for a long time', now)
    return climb(withTried(unhealthy, upTo('re-initialise')), now)
  }
  if (input.kind !== 'modem') return withoutEffects(state)
  switch (serviceHealthOf(input.state)) {
    case 'serving':
      return withoutEffects({ ...state, service: true, deadlineMs: undefined })
    case 'unserved':
      return withoutEffects({ ...state, service: false, deadlineMs: state.deadlineMs ?? unservedUntil(now) })
    case 'starting':
      return withoutEffects({ ...starting(fallen(state, 'answer', 'the modem has restarted', now), now), begun: true })
    case 'silent':
      return climb(fallen(state, 'answer', describeState(input.state), now), now)
    case 'absent':
      return tryPort(lost(fallen(state, 'answer', describeState(input.state), now), now), now)
    case 'blocked':
      return blocked(starting(fallen(state, 'answer', describeState(input.state), now), now), input.state, now)
  }
}

function whileAway(state: Extract<UnhealthyState, { kind: 'away' }>, input: RecoveryInput, now: Now): RecoveryStep {
  switch (input.kind) {
    case 'opened':
      return setUp(found(state, 'the port is open', now), now)
    case 'not-opened':
      if (input.problem === 'absent') return retryOrAlarm(found(state, input.words, now), input.words, now)
      return alarm(found(state, input.words, now), { kind: 'port-refused', words: input.words }, false, now)
    case 'power-cycled':
      return withoutEffects(found(state, input.words, now))
    case 'device-appeared':
      return state.doing === 'waiting'
        ? tryPort(found(state, 'the device has appeared', now), now)
        : withoutEffects(state)
    case 'time':
      if (state.doing === 'waiting') return tryPort(state, now)
      return retryOrAlarm(found(state, openingHangs, now), openingHangs, now)
    default:
      return withoutEffects(state)
  }
}

function whileStarting(state: Starting, input: RecoveryInput, now: Now): RecoveryStep {
  if (input.kind === 'time') return climb(found(state, 'the modem did not become ready in time', now), now)
  if (input.kind !== 'modem') return withoutEffects(state)
  switch (serviceHealthOf(input.state)) {
    case 'serving':
      return state.begun ? healed(state, true, now) : withoutEffects(state)
    case 'unserved':
      return state.begun && state.outage.goal === 'answer' ? healed(state, false, now) : withoutEffects(heardOf(state))
    case 'starting': {
      const begun = { ...state, begun: true }
      // A state after `probing` shows that the modem has answered.
      return withoutEffects(input.state.name === 'probing' ? begun : heardOf(begun))
    }
    case 'absent':
      return portLost(state, input.state, now)
    case 'blocked':
      return blocked(found(state, describeState(input.state), now), input.state, now)
    case 'silent':
      return withoutEffects(state)
  }
}

function whileResynchronising(state: UnhealthyState, input: RecoveryInput, now: Now): RecoveryStep {
  switch (input.kind) {
    case 'in-step':
      // Sets up the modem again, because it may have restarted unnoticed.
      return setUp(found(state, 'the modem answers', now), now)
    case 'out-of-step':
      return climb(found(state, input.heard ? 'the modem sends unreadable data' : 'no answer', now), now)
    case 'time':
      return climb(found(state, 'the modem did not resynchronise in time', now), now)
    case 'modem':
      if (serviceHealthOf(input.state) === 'absent') return portLost(state, input.state, now)
      return withoutEffects(state)
    default:
      return withoutEffects(state)
  }
}

function aroundReset(state: UnhealthyState, input: RecoveryInput, now: Now): RecoveryStep {
  switch (input.kind) {
    case 'reset-written':
      return returning(found(state, 'the reset command was written', now), now)
    case 'power-cycled':
      return returning(found(state, input.words, now), now)
    case 'time':
      if (state.kind === 'resting') return climb(state, now)
      if (state.kind === 'resetting') return returning(found(state, 'the reset took too long', now), now)
      return setUp(state, now)
    case 'modem':
      return heardAroundReset(state, input.state, now)
    default:
      return withoutEffects(state)
  }
}

function heardAroundReset(state: UnhealthyState, modem: ModemState, now: Now): RecoveryStep {
  switch (serviceHealthOf(modem)) {
    case 'absent':
      return portLost(state, modem, now)
    case 'serving':
    case 'unserved':
      // Ignores healthy states of a modem that is resetting, because it may look healthy until it shuts down.
      if (state.kind !== 'resting' || (serviceHealthOf(modem) === 'unserved' && state.outage.goal === 'service'))
        return withoutEffects(state)
      return healed(state, serviceHealthOf(modem) === 'serving', now)
    case 'starting':
      if (state.kind === 'returning')
        return withoutEffects({ ...starting(found(state, 'the modem has restarted', now), now), begun: true })
      // A modem that answers before the next reset is allowed may not need this reset. A state after `probing` shows an
      // answer.
      if (state.kind === 'resting' && modem.name !== 'probing')
        return withoutEffects(heardOf({ ...starting(found(state, 'the modem answers', now), now), begun: true }))
      return withoutEffects(state)
    default:
      return withoutEffects(state)
  }
}

function inAlarm(state: Alarmed, input: RecoveryInput, now: Now): RecoveryStep {
  switch (input.kind) {
    case 'opened':
      return lookBySettingUp({ ...state, portOpen: true }, now)
    case 'not-opened':
      return raiseAlarmAgain(state, input.problem === 'absent' ? 'gone' : 'port-refused', input.words, now)
    case 'device-appeared':
      return state.doing === 'opening' ? withoutEffects(state) : lookByOpening(state, now)
    case 'time':
      if (state.doing !== 'waiting') return withoutEffects(waitInAlarm(state, now))
      return state.portOpen ? lookBySettingUp(state, now) : lookByOpening(state, now)
    case 'modem':
      return heardInAlarm(state, input.state, now)
    default:
      return withoutEffects(state)
  }
}

function heardInAlarm(state: Alarmed, modem: ModemState, now: Now): RecoveryStep {
  switch (serviceHealthOf(modem)) {
    case 'serving':
      return healed(state, true, now)
    case 'unserved':
      // An answer ends the alarm only if a missing answer was its cause. If the network was missing, the alarm
      // continues.
      return state.outage.goal === 'answer' ? healed(state, false, now) : withoutEffects(waitInAlarm(state, now))
    case 'absent':
      // The port was opened a moment ago, see `portLost`.
      if (state.doing === 'starting') return withoutEffects(waitInAlarm({ ...state, portOpen: false }, now))
      // Searches for the device again, because it may already have another name.
      return lookByOpening(found({ ...state, portOpen: false }, describeState(modem), now), now)
    case 'blocked': {
      const waiting = waitInAlarm(state, now)
      const failure = failureOf(modem)
      if (failure === undefined || !needsHands(failure, false)) return withoutEffects(waiting)
      if (state.cause.kind === 'needs-hands' && state.cause.failure.reason === failure.reason)
        return withoutEffects(waiting)
      return alarm(found(state, describeState(modem), now), { kind: 'needs-hands', failure }, state.portOpen, now)
    }
    case 'starting':
      // The modem is set up for another reason, for example because a PIN was entered. A check must not interrupt this
      // setup.
      return withoutEffects({ ...state, deadlineMs: Math.max(state.deadlineMs, now.atMs + now.options.startLimitMs) })
    case 'silent':
      return withoutEffects(state)
  }
}

/**
 * After the first loss, the port is opened again immediately. After each later loss, it is opened only after a pause.
 * Otherwise a port that closes each time it is opened would be opened in a tight loop.
 */
function portLost(state: UnhealthyState, modem: ModemState, now: Now): RecoveryStep {
  const words = describeState(modem)
  const updated = found(state, words, now)
  return state.outage.awaySinceMs === undefined ? tryPort(lost(updated, now), now) : retryOrAlarm(updated, words, now)
}

function blocked(state: Starting, modem: ModemState, now: Now): RecoveryStep {
  const failure = failureOf(modem)
  // Does nothing, because the port reports its loss itself.
  if (failure === undefined || failure.reason === 'port-lost') return withoutEffects(state)
  if (needsHands(failure, state.budget.wasHealthy)) return alarm(state, { kind: 'needs-hands', failure }, true, now)
  return climb({ ...state, outage: { ...state.outage, heard: wasHeard(failure) } }, now)
}

const openingHangs = 'opening the port timed out'
