import type { ModemState } from './modem-state.ts'
import { failureOf, needsHands, wasHeard, wellnessOf, wordsOf } from './recovery-evidence.ts'
import { upTo } from './recovery-ladder.ts'
import {
  alarm,
  alarmAnew,
  climb,
  fallen,
  found,
  healed,
  heardOf,
  lookAgainOrAlarm,
  lookByOpening,
  lookBySettingUp,
  lost,
  type Now,
  openPort,
  type Patient,
  quietly,
  returning,
  type Starting,
  setUp,
  starting,
  unservedUntil,
  waitInAlarm,
  withTried,
} from './recovery-moves.ts'
import {
  type Alarmed,
  defaultRecoveryOptions,
  type Healthy,
  type RecoveryInput,
  type RecoveryOptions,
  type RecoveryState,
  type RecoveryStep,
} from './recovery-state.ts'

/**
 * Keeps a modem alive, as a state machine: what happened goes in, what to do comes out, and time comes in as well.
 *
 *              opened                    set up
 *     away ─────────────▶ starting ──────────────────▶ healthy
 *      ▲                  ▲  ▲   │                        │
 *      │ port lost,       │  │   │ blocked, too slow      │ silent, blocked, long without service
 *      │ from anywhere    │  │   ▼                        ▼
 *      │                  │  └── the next rung of the ladder:
 *      │                  │        resynchronise ──▶ resynchronising ──▶ starting, or the next rung
 *      ├──────────────────┼─────── reopen ────────▶ away
 *      │                  │        re-initialise, restart-radio ──▶ starting
 *      │          settled │        reset ──────────▶ resting (until it is allowed) ──▶ resetting
 *      └───────────── returning ◀─────────────────────────────────────────────────────────┘
 *                                  none left ──────▶ alarm: looks now and then, never resets
 *
 * Each step ends by evidence or by its deadline. Whatever helped has to be proved by setting the modem up. `away` is the
 * wait for re-enumeration: who opens the port finds it by the identity of the device, so a new name does no harm. What
 * only hands can mend (PIN, SIM, permissions) leads to `alarm` at once. A modem that comes back by itself ends `alarm`
 * like every other state. A relapse soon after being healed does not begin at the bottom of the ladder again.
 */
export function next(
  state: RecoveryState,
  input: RecoveryInput,
  options: RecoveryOptions = defaultRecoveryOptions,
): RecoveryStep {
  if ('attempt' in input && input.attempt !== state.attempt) return quietly(state)
  if (input.kind === 'time' && (state.deadlineMs === undefined || input.atMs < state.deadlineMs)) {
    return quietly(state)
  }
  const now = { atMs: input.atMs, options }
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

function inHealth(state: Healthy, input: RecoveryInput, now: Now): RecoveryStep {
  if (input.kind === 'time') {
    const troubled = fallen(state, 'service', 'long without a network', now)
    return climb(withTried(troubled, upTo('re-initialise')), now)
  }
  if (input.kind !== 'modem') return quietly(state)
  switch (wellnessOf(input.state)) {
    case 'serving':
      return quietly({ ...state, service: true, deadlineMs: undefined })
    case 'unserved':
      return quietly({ ...state, service: false, deadlineMs: state.deadlineMs ?? unservedUntil(now) })
    case 'starting':
      return quietly({ ...starting(fallen(state, 'answer', 'it has restarted', now), now), begun: true })
    case 'silent':
      return climb(fallen(state, 'answer', wordsOf(input.state), now), now)
    case 'absent':
      return openPort(lost(fallen(state, 'answer', wordsOf(input.state), now), now), now)
    case 'blocked':
      return blocked(starting(fallen(state, 'answer', wordsOf(input.state), now), now), input.state, now)
  }
}

function whileAway(state: Extract<Patient, { kind: 'away' }>, input: RecoveryInput, now: Now): RecoveryStep {
  switch (input.kind) {
    case 'opened':
      return setUp(found(state, 'the port is open', now), now)
    case 'not-opened':
      if (input.problem === 'absent') return lookAgainOrAlarm(found(state, input.words, now), input.words, now)
      return alarm(found(state, input.words, now), { kind: 'port-refused', words: input.words }, false, now)
    case 'device-appeared':
      return state.doing === 'waiting' ? openPort(found(state, 'the device has appeared', now), now) : quietly(state)
    case 'time':
      if (state.doing === 'waiting') return openPort(state, now)
      return lookAgainOrAlarm(found(state, openingHangs, now), openingHangs, now)
    default:
      return quietly(state)
  }
}

function whileStarting(state: Starting, input: RecoveryInput, now: Now): RecoveryStep {
  if (input.kind === 'time') return climb(found(state, 'it did not get ready in time', now), now)
  if (input.kind !== 'modem') return quietly(state)
  switch (wellnessOf(input.state)) {
    case 'serving':
      return state.begun ? healed(state, true, now) : quietly(state)
    case 'unserved':
      return state.begun && state.trouble.goal === 'answer' ? healed(state, false, now) : quietly(heardOf(state))
    case 'starting': {
      const begun = { ...state, begun: true }
      // Behind probing it has answered.
      return quietly(input.state.name === 'probing' ? begun : heardOf(begun))
    }
    case 'absent':
      return portLost(state, input.state, now)
    case 'blocked':
      return blocked(found(state, wordsOf(input.state), now), input.state, now)
    case 'silent':
      return quietly(state)
  }
}

function whileResynchronising(state: Patient, input: RecoveryInput, now: Now): RecoveryStep {
  switch (input.kind) {
    case 'in-step':
      // It may have restarted while nobody could hear it.
      return setUp(found(state, 'it answers in step', now), now)
    case 'out-of-step':
      return climb(found(state, input.heard ? 'it says things that make no sense' : 'nothing was heard', now), now)
    case 'time':
      return climb(found(state, 'it did not get in step in time', now), now)
    case 'modem':
      if (wellnessOf(input.state) === 'absent') return portLost(state, input.state, now)
      return quietly(state)
    default:
      return quietly(state)
  }
}

function aroundReset(state: Patient, input: RecoveryInput, now: Now): RecoveryStep {
  switch (input.kind) {
    case 'reset-written':
      return returning(found(state, 'it was told to reset', now), now)
    case 'time':
      if (state.kind === 'resting') return climb(state, now)
      if (state.kind === 'resetting') return returning(found(state, 'telling it to reset took too long', now), now)
      return setUp(state, now)
    case 'modem':
      return heardAroundReset(state, input.state, now)
    default:
      return quietly(state)
  }
}

function heardAroundReset(state: Patient, modem: ModemState, now: Now): RecoveryStep {
  switch (wellnessOf(modem)) {
    case 'absent':
      return portLost(state, modem, now)
    case 'serving':
    case 'unserved':
      // Told to reset, it may look well while it goes down.
      if (state.kind !== 'resting' || (wellnessOf(modem) === 'unserved' && state.trouble.goal === 'service'))
        return quietly(state)
      return healed(state, wellnessOf(modem) === 'serving', now)
    case 'starting':
      return state.kind === 'returning'
        ? quietly({ ...starting(found(state, 'it has restarted', now), now), begun: true })
        : quietly(state)
    default:
      return quietly(state)
  }
}

function inAlarm(state: Alarmed, input: RecoveryInput, now: Now): RecoveryStep {
  switch (input.kind) {
    case 'opened':
      return lookBySettingUp({ ...state, portOpen: true }, now)
    case 'not-opened':
      return alarmAnew(state, input.problem === 'absent' ? 'gone' : 'port-refused', input.words, now)
    case 'device-appeared':
      return state.doing === 'opening' ? quietly(state) : lookByOpening(state, now)
    case 'time':
      if (state.doing !== 'waiting') return quietly(waitInAlarm(state, now))
      return state.portOpen ? lookBySettingUp(state, now) : lookByOpening(state, now)
    case 'modem':
      return heardInAlarm(state, input.state, now)
    default:
      return quietly(state)
  }
}

function heardInAlarm(state: Alarmed, modem: ModemState, now: Now): RecoveryStep {
  switch (wellnessOf(modem)) {
    case 'serving':
      return healed(state, true, now)
    case 'unserved':
      // Without a network was the trouble: that it answers is nothing new.
      return state.trouble.goal === 'answer' ? healed(state, false, now) : quietly(waitInAlarm(state, now))
    case 'absent':
      // It was opened a moment ago: see `portLost`.
      if (state.doing === 'starting') return quietly(waitInAlarm({ ...state, portOpen: false }, now))
      // The device may have another name already.
      return lookByOpening(found({ ...state, portOpen: false }, wordsOf(modem), now), now)
    case 'blocked': {
      const waiting = waitInAlarm(state, now)
      const failure = failureOf(modem)
      if (failure === undefined || !needsHands(failure, false)) return quietly(waiting)
      if (state.cause.kind === 'needs-hands' && state.cause.failure.reason === failure.reason) return quietly(waiting)
      return alarm(found(state, wordsOf(modem), now), { kind: 'needs-hands', failure }, state.portOpen, now)
    }
    case 'starting':
    case 'silent':
      return quietly(state)
  }
}

/** Looked for at once the first time. A port that opens and is lost each time would be opened as fast as a processor can. */
function portLost(state: Patient, modem: ModemState, now: Now): RecoveryStep {
  const words = wordsOf(modem)
  const told = found(state, words, now)
  return state.trouble.awaySinceMs === undefined ? openPort(lost(told, now), now) : lookAgainOrAlarm(told, words, now)
}

function blocked(state: Starting, modem: ModemState, now: Now): RecoveryStep {
  const failure = failureOf(modem)
  // The loss of the port is told by itself.
  if (failure === undefined || failure.reason === 'port-lost') return quietly(state)
  if (needsHands(failure, state.budget.wasHealthy)) return alarm(state, { kind: 'needs-hands', failure }, true, now)
  return climb({ ...state, trouble: { ...state.trouble, heard: wasHeard(failure) } }, now)
}

const openingHangs = 'opening the port did not come to an end'
