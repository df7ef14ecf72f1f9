// Outbound path, step 9: sends the command again until the agent acknowledges it. Next: agent-link.ts.

import { closeCodes } from '@smsgw/contract/link/close-code'
import type { AgentFrame } from '@smsgw/contract/link/frame'
import { readAgentFrame } from '../connection/frame-text.ts'
import { frameReceived } from '../connection/heartbeat.ts'
import { closeRelayConnection, connectionEnded } from './closing.ts'
import { authenticated, challenge, connectionOpened, handleAgentHandshake, paired, sendPending } from './handshake.ts'
import { eventsArrived, handleAgentFrame, isRelayOpen, proceed, retry, storeHeld, tickRelay } from './online.ts'
import type { RelayInput, RelayState, RelayStep, RelayTimer } from './state.ts'

/**
 * The relay's end of the link. Each socket has its own state machine, which is closed with the socket.
 *
 *   new → challenged → authenticating → opening → open → closed
 *              ↕ pairing                                   ↑ from every phase
 *
 * The guarantees of this end, if the store carries out all effects: an event is acknowledged after it was committed
 * under the epoch of this connection, in the order of its journal; a command is sent after it was committed as
 * dispatched to this journal, and sent again if it was not acknowledged; nothing of this connection is committed after
 * a newer connection of the device was opened.
 */
export function nextRelay(state: RelayState, input: RelayInput): RelayStep {
  const { phase } = state
  if (input.kind === 'connection-opened') return connectionOpened(state, input.opened)
  if (phase.kind === 'closed') return unchanged(state)
  switch (input.kind) {
    case 'opened':
      return phase.kind === 'new' ? challenge(state) : unchanged(state)
    case 'received':
      return receive(state, input)
    case 'closed':
      return closed(state, input.code)
    case 'timer':
      return timerFired(state, input.timer)
    case 'paired':
      return paired(state, input.deviceId)
    case 'pairing-refused':
      return closeRelayConnection(state, 'pairing-refused', input.reason)
    case 'authenticated':
      return authenticated(state)
    case 'refused':
      return closeRelayConnection(state, input.why, input.reason)
    case 'revoked':
      return closeRelayConnection(state, 'revoked', 'this device was deleted: pair the agent again')
    case 'restored':
      return closeRelayConnection(state, 'unavailable', 'the database was restored from a backup')
    case 'fenced':
      return closeRelayConnection(state, 'superseded', 'replaced by a newer connection of this agent')
    default:
      return isRelayOpen(state) ? proceed(state, input) : prepare(state, input)
  }
}

function receive(before: RelayState, { text, frame }: RelayInput & { kind: 'received' }): RelayStep {
  const state = frameSeen(before)
  if (frame !== undefined && isRelayOpen(state))
    return eventsArrived(state, frame, { length: text.length, areValid: true })
  const reading = readAgentFrame(text)
  if (reading.kind === 'refused') return closeRelayConnection(state, reading.why, reading.reason)
  if (reading.kind === 'ignored') return unchanged(state)
  return (
    take(state, reading.frame, text.length) ??
    closeRelayConnection(state, 'malformed', `${reading.frame.type} while ${state.phase.kind}`)
  )
}

function take(state: RelayState, frame: AgentFrame, length: number): RelayStep | undefined {
  return isRelayOpen(state) ? handleAgentFrame(state, frame, length) : handleAgentHandshake(state, frame)
}

/** Settings that change while the store opens the connection are sent after the welcome. */
function prepare(state: RelayState, input: RelayInput): RelayStep {
  const { phase } = state
  if (phase.kind !== 'opening' || input.kind !== 'settings-changed') return unchanged(state)
  return unchanged({ ...state, phase: { ...phase, newSettings: input.settings } })
}

function timerFired(state: RelayState, timer: RelayTimer): RelayStep {
  if (timer === 'handshake')
    return isRelayOpen(state) ? unchanged(state) : closeRelayConnection(state, 'timed-out', `still ${state.phase.kind}`)
  if (timer === 'pending') return sendPending(state)
  if (!isRelayOpen(state)) return unchanged(state)
  if (timer === 'store') return storeHeld(state)
  return timer === 'tick' ? tickRelay(state) : retry(state)
}

function closed(state: RelayState, code: number): RelayStep {
  const over = connectionEnded(state)
  if (!isRelayOpen(state) || code !== closeCodes.cloned.code) return over
  const { deviceId } = state.phase.hello
  return { state: over.state, effects: [...over.effects, { kind: 'report-duplicate', deviceId }] }
}

function frameSeen(state: RelayState): RelayState {
  return isRelayOpen(state)
    ? { ...state, phase: { ...state.phase, heartbeat: frameReceived(state.phase.heartbeat) } }
    : state
}

function unchanged(state: RelayState): RelayStep {
  return { state, effects: [] }
}
