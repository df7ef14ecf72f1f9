import { closeCodes } from '@smsgw/contract/link/close-code'
import type { AgentFrame } from '@smsgw/contract/link/frame'
import { readAgentFrame } from './frame-text.ts'
import { hear } from './heartbeat.ts'
import { end, finish } from './relay-closing.ts'
import { authenticated, challenge, connectionOpened, meet, paired } from './relay-handshake.ts'
import { converse, isOpen, proceed, retry, tick } from './relay-online.ts'
import type { RelayInput, RelayState, RelayStep, RelayTimer } from './relay-state.ts'

/**
 * The relay's end of the link: one machine for each socket, over when the socket is.
 *
 *   fresh → challenged → authenticating → opening → open → over
 *            ↕ pairing                                      ↑ from everywhere
 *
 * What it promises, together with a store that does as its effects say:
 *   an event is acknowledged after it was committed, under the epoch of this connection, in the order of its journal;
 *   a command is sent after it was committed as dispatched to this journal, and again when it was not taken over;
 *   once a newer connection has the device, nothing that this one still holds is committed.
 */
export function nextRelay(state: RelayState, input: RelayInput): RelayStep {
  const { phase } = state
  if (input.kind === 'connection-opened') return connectionOpened(state, input.opened)
  if (phase.kind === 'over') return unchanged(state)
  switch (input.kind) {
    case 'opened':
      return phase.kind === 'fresh' ? challenge(state) : unchanged(state)
    case 'received':
      return receive(state, input.text)
    case 'closed':
      return closed(state, input.code)
    case 'timer':
      return timerFired(state, input.timer)
    case 'paired':
      return paired(state, input.deviceId)
    case 'pairing-refused':
      return finish(state, 'pairing-refused', input.reason)
    case 'authenticated':
      return authenticated(state)
    case 'refused':
      return finish(state, input.why, input.reason)
    case 'revoked':
      return finish(state, 'revoked', 'this device was deleted: pair the agent again')
    case 'restored':
      return finish(state, 'unavailable', 'the database was restored from a backup')
    case 'fenced':
      return finish(state, 'superseded', 'a newer connection of this agent took over')
    default:
      return isOpen(state) ? proceed(state, input) : prepare(state, input)
  }
}

function receive(before: RelayState, text: string): RelayStep {
  const state = heard(before)
  const reading = readAgentFrame(text)
  if (reading.kind === 'refused') return finish(state, reading.why, reading.reason)
  if (reading.kind === 'ignored') return unchanged(state)
  return (
    take(state, reading.frame, text.length) ??
    finish(state, 'malformed', `${reading.frame.type} while ${state.phase.kind}`)
  )
}

function take(state: RelayState, frame: AgentFrame, length: number): RelayStep | undefined {
  return isOpen(state) ? converse(state, frame, length) : meet(state, frame)
}

/** Settings that change while the store still reads those for the welcome are told after it. */
function prepare(state: RelayState, input: RelayInput): RelayStep {
  const { phase } = state
  if (phase.kind !== 'opening' || input.kind !== 'settings-changed') return unchanged(state)
  return unchanged({ ...state, phase: { ...phase, newSettings: input.settings } })
}

function timerFired(state: RelayState, timer: RelayTimer): RelayStep {
  if (timer === 'handshake')
    return isOpen(state) ? unchanged(state) : finish(state, 'timed-out', `still ${state.phase.kind}`)
  if (!isOpen(state)) return unchanged(state)
  return timer === 'tick' ? tick(state) : retry(state)
}

function closed(state: RelayState, code: number): RelayStep {
  const over = end(state)
  if (!isOpen(state) || code !== closeCodes.cloned.code) return over
  const { deviceId } = state.phase.hello
  return { state: over.state, effects: [...over.effects, { kind: 'report-clones', deviceId }] }
}

function heard(state: RelayState): RelayState {
  return isOpen(state) ? { ...state, phase: { ...state.phase, heartbeat: hear(state.phase.heartbeat) } } : state
}

function unchanged(state: RelayState): RelayStep {
  return { state, effects: [] }
}
