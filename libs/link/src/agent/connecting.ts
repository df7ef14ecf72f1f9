import { type CloseName, closeCodes, closeNameOf, type Retry } from '@smsgw/contract/link/close-code'
import { closeReason } from '../connection/close-reason.ts'
import type { PauseRange } from '../connection/timers.ts'
import { fullBudget } from './frame-budget.ts'
import type { AgentEffect, AgentState, AgentStep, Unreachable } from './state.ts'

export function connectAgent(state: AgentState): AgentStep {
  const connection = state.connection + 1
  return {
    state: { ...state, connection, budget: fullBudget, phase: { kind: 'connecting' } },
    effects: [{ kind: 'connect', connection }, challengeLimit(state)],
  }
}

/**
 * The time limit for the first frame of the relay. A connection whose first packets were lost never opens, so the first
 * attempts have a short limit. After an outage, and in later attempts, the limit is longer, for a slow network or a
 * busy relay.
 */
function challengeLimit({ stalled, unreachable }: AgentState): SetTimer {
  return handshakeTimer(stalled < shortAttempts && unreachable === 0 ? shortAttemptMs : longAttemptMs)
}

/** The connection is established, but the relay has sent nothing yet. */
export function connectionReached(state: AgentState): AgentState {
  return state.phase.kind === 'connecting' ? { ...state, phase: { ...state.phase, isReached: true } } : state
}

/**
 * Called when the time limit for the first frame is over. Returns a further time limit, or undefined if the agent must
 * not wait longer. When all agents of a region connect at once, they wait in the queue of the load balancer. If the
 * agents give up too early, the load balancer spends its time on abandoned connections and answers none in time. So
 * each attempt that reaches the load balancer waits longer than the attempt before.
 */
function furtherLimit({ phase, stalled, unreachable }: AgentState): SetTimer | undefined {
  const isReached = phase.kind === 'awaiting-challenge' || (phase.kind === 'connecting' && phase.isReached)
  if (!isReached || phase.isLate) return undefined
  const attempt = unreachable === 0 ? stalled - shortAttempts : stalled
  if (attempt < 1) return undefined
  return handshakeTimer(Math.min(longAttemptMs * 2 ** attempt, longestAttemptMs) - longAttemptMs)
}

/**
 * Half of the time limit for the next frame of a relay that sends `pending`. The limit is short only if the relay
 * answered the previous attempts. When thousands of agents connect at once, a relay may be too busy to send `pending`,
 * and each abandoned connection costs the relay more time.
 */
export function answerLimit(stalled: number): SetTimer {
  return handshakeTimer((answerLimitsMs[stalled] ?? longestAnswerMs) / 2)
}

function handshakeTimer(ms: number): SetTimer {
  return { kind: 'set-timer', timer: 'handshake', fromMs: ms, toMs: ms }
}

type SetTimer = Extract<AgentEffect, { kind: 'set-timer' }>

/** Restarts the time limit, because a frame shows that the relay still works on the answer. */
export function answerPending(state: AgentState): AgentStep {
  const { phase, stalled } = state
  if (phase.kind !== 'pairing' && phase.kind !== 'awaiting-welcome') return { state, effects: [] }
  return { state: { ...state, phase: { ...phase, isLate: false } }, effects: [answerLimit(stalled)] }
}

/**
 * The handshake took too long. After the first unanswered attempts, which are short, the pauses are short too. The time
 * limit for an answer has two halves, so that a process that was suspended reads the frames in its buffers before it
 * closes the connection.
 */
export function handshakeTimedOut(state: AgentState): AgentStep {
  const { phase } = state
  if ((phase.kind === 'pairing' || phase.kind === 'awaiting-welcome') && phase.sendsPending && !phase.isLate)
    return { state: { ...state, phase: { ...phase, isLate: true } }, effects: [answerLimit(state.stalled)] }
  const further = furtherLimit(state)
  if (further !== undefined && (phase.kind === 'connecting' || phase.kind === 'awaiting-challenge'))
    return { state: { ...state, phase: { ...phase, isLate: true } }, effects: [further] }
  const { state: left, effects } = closeAgentConnection(state, 'timed-out', `still ${state.phase.kind}`)
  if (!expectsFrameSoon(state)) return { state: left, effects }
  const isShort = state.stalled < shortAttempts
  const attempts = isShort ? Math.max(state.attempts, Math.min(left.attempts, mostUnansweredAttempts)) : left.attempts
  return { state: { ...left, attempts, stalled: state.stalled + 1 }, effects }
}

/** Closes the connection from this end. */
export function closeAgentConnection(state: AgentState, why: CloseName, reason: string): AgentStep {
  const { code, retry } = closeCodes[why]
  const left = disconnected(state, why, reason, retry)
  return { state: left.state, effects: [closeEffect(state, code, reason), ...left.effects] }
}

/** Reports to the app that the link has stopped, but opens one more connection. */
export function closeAndTakeBack(state: AgentState, why: CloseName, reason: string, pause: PauseRange): AgentStep {
  const left = closeAgentConnection(state, why, reason)
  const later: AgentEffect = { kind: 'set-timer', timer: 'reconnect', ...pause }
  return { state: { ...left.state, phase: { kind: 'waiting' } }, effects: [...left.effects, later] }
}

/** The other end closed the connection, or the socket failed. */
export function connectionClosed(state: AgentState, code: number, reason: string): AgentStep {
  return disconnected(state, closeNameOf(code) ?? 'lost', reason || `closed with ${code}`, retryAfter(code))
}

/**
 * During a short outage the pauses stay short, so that agents connect soon after the relay has started. Attempts that
 * reach no relay cause no load. The pauses grow if a relay refuses a connection or does not answer in time, because it
 * may be overloaded.
 */
export function relayUnreachable(state: AgentState, { reason, isProxied }: Unreachable): AgentStep {
  const { state: left, effects } = disconnected(state, 'lost', reason, 'soon')
  const isShortOutage = state.unreachable < shortOutageAttempts
  const mostAttempts = isProxied ? mostProxiedAttempts : mostUnansweredAttempts
  const attempts = isShortOutage ? Math.max(state.attempts, Math.min(left.attempts, mostAttempts)) : left.attempts
  return { state: { ...left, attempts, unreachable: state.unreachable + 1 }, effects }
}

/** Closes the connection and opens no other. */
export function stop(state: AgentState): AgentStep {
  const { code } = closeCodes.goodbye
  const effects = hasSocket(state) ? [closeEffect(state, code, 'stopped')] : []
  return {
    state: { ...state, phase: { kind: 'idle' } },
    effects: [...effects, ...cancelTimers, { kind: 'cancel-timer', timer: 'reconnect' }],
  }
}

export function closeEffect(state: AgentState, code: number, reason: string): AgentEffect {
  return { kind: 'close', connection: state.connection, code, reason: closeReason(reason) }
}

export function hasSocket({ phase }: AgentState): boolean {
  return !['idle', 'waiting', 'replacing-journal', 'stopped'].includes(phase.kind)
}

/** An older relay sends no frames while it authenticates the agent. */
function expectsFrameSoon(state: AgentState): boolean {
  const { phase } = state
  if (phase.kind === 'pairing' || phase.kind === 'awaiting-welcome') return phase.sendsPending === true
  return phase.kind === 'connecting' || phase.kind === 'awaiting-challenge'
}

export const cancelTimers: readonly AgentEffect[] = (['handshake', 'tick', 'leave'] as const).map((timer) => ({
  kind: 'cancel-timer',
  timer,
}))

export function reconnectLater(state: AgentState, retry: Exclude<Retry, 'never'>): AgentStep {
  return {
    state: { ...state, phase: { kind: 'waiting' }, attempts: state.attempts + 1 },
    effects: [{ kind: 'set-timer', timer: 'reconnect', ...pauseBefore(state.attempts, retry) }],
  }
}

function disconnected(state: AgentState, why: CloseName | 'lost', reason: string, retry: Retry): AgentStep {
  const effects: AgentEffect[] = [...cancelTimers, { kind: 'disconnected', why, reason }]
  if (retry === 'never' && why !== 'lost') {
    return {
      state: { ...state, phase: { kind: 'stopped', why } },
      effects: [...effects, { kind: 'stopped', why, reason }],
    }
  }
  const later = reconnectLater(state, retry === 'never' ? 'slowly' : retry)
  return { state: later.state, effects: [...effects, ...later.effects] }
}

const shortAttempts = 4
/** The shortest time limit. Sufficient for TCP, TLS, the upgrade and the first frame at a round trip of 800 ms. */
const shortAttemptMs = 4_000
const longAttemptMs = 15_000
/** An agent waits at most this long for a port that accepts connections and stays silent. */
const longestAttemptMs = 60_000
/** The time limits after zero and one unanswered attempts. */
const answerLimitsMs: readonly number[] = [6_000, 15_000]
const longestAnswerMs = 45_000
const shortestMs = 500
const longestMs = 60_000
/** The pauses are at most 4 s. With the time to connect, an agent reconnects within 10 s. */
const mostUnansweredAttempts = 3
/** The pauses are at most 8 s, because each attempt causes a TLS handshake at the proxy. */
const mostProxiedAttempts = 4
/** The number of attempts with short pauses, which take about four minutes, or eight behind a proxy. */
const shortOutageAttempts = 120
const slowly: PauseRange = { fromMs: 60_000, toMs: 600_000 }

/** @param attempts the number of failed connections since the last connection that worked in both directions */
export function pauseBefore(attempts: number, retry: Exclude<Retry, 'never'>): PauseRange {
  if (retry === 'slowly') return slowly
  if (retry === 'now' && attempts === 0) return { fromMs: 0, toMs: 0 }
  return { fromMs: 0, toMs: Math.min(longestMs, shortestMs * 2 ** Math.min(attempts, 16)) }
}

/**
 * Returns how to retry after a close code from either end. The code is 1006 for a socket that failed or never opened.
 */
export function retryAfter(code: number): Retry {
  const name = closeNameOf(code)
  return name === undefined ? 'soon' : closeCodes[name].retry
}
