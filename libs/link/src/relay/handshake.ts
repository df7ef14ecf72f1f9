import type { AgentFrame, Challenge, Hello, Pair, Welcome } from '@smsgw/contract/link/frame'
import { emptyOutbox } from '../commands/command-outbox.ts'
import { startHeartbeat } from '../connection/heartbeat.ts'
import { signedText } from '../connection/signed-text.ts'
import { authenticationLimit, handshakeLimit, pendingPause } from '../connection/timers.ts'
import { commonVersion, versionRefusal } from '../connection/versions.ts'
import { openInbox } from '../events/event-inbox.ts'
import { closeRelayConnection } from './closing.ts'
import { tickLater } from './online.ts'
import type { Open, OpenedConnection, RelayEffect, RelayState, RelayStep } from './state.ts'

export function challenge(state: RelayState): RelayStep {
  const { relayId, nonce, versions } = state.relay
  const frame: Challenge = { type: 'challenge', relayId, nonce, versions, sendsPending: true }
  return {
    state: { ...state, phase: { kind: 'challenged' } },
    effects: [handshakeLimit, { kind: 'send', text: JSON.stringify(frame) }],
  }
}

/** Returns undefined for a frame that is not expected in this phase of the handshake. */
export function handleAgentHandshake(state: RelayState, frame: AgentFrame): RelayStep | undefined {
  if (state.phase.kind !== 'challenged') return undefined
  if (frame.type === 'hello') return authenticate(state, frame)
  if (frame.type === 'pair') return pair(state, frame)
  return undefined
}

/** Must be called when the agent is paired. The agent then sends `hello` on the same connection. */
export function paired(state: RelayState, deviceId: string): RelayStep {
  if (state.phase.kind !== 'pairing') return { state, effects: [] }
  const text = JSON.stringify({ type: 'paired', deviceId })
  return {
    state: { ...state, phase: { kind: 'challenged' } },
    effects: [handshakeLimit, noPending, { kind: 'send', text }],
  }
}

/** Sends `pending`: the relay has received the frame and is still preparing the answer. */
export function sendPending(state: RelayState): RelayStep {
  const isPending = ['pairing', 'authenticating', 'opening'].includes(state.phase.kind)
  if (!isPending) return { state, effects: [] }
  return { state, effects: [{ kind: 'send', text: JSON.stringify({ type: 'pending' }) }, pendingLater] }
}

export function authenticated(state: RelayState): RelayStep {
  const { phase } = state
  if (phase.kind !== 'authenticating') return { state, effects: [] }
  const { hello } = phase
  return { state: { ...state, phase: { ...phase, kind: 'opening' } }, effects: [{ kind: 'open-connection', hello }] }
}

export function connectionOpened(state: RelayState, opened: OpenedConnection): RelayStep {
  const { phase } = state
  const { connEpoch } = opened
  // The socket was closed before the store incremented the epoch.
  if (phase.kind === 'closed') return { state, effects: [{ kind: 'close-connection', connEpoch }] }
  if (phase.kind !== 'opening') return { state, effects: [] }
  const { hello, version, newSettings } = phase
  const open: Open = {
    kind: 'open',
    hello,
    connEpoch,
    heartbeat: startHeartbeat,
    inbox: openInbox(opened.mark),
    outbox: emptyOutbox,
    settings: { sent: 0 },
    ticks: 0,
  }
  const next = { ...state, phase: open }
  return {
    state: next,
    effects: [
      { kind: 'cancel-timer', timer: 'handshake' },
      noPending,
      tickLater(next.relay),
      { kind: 'send', text: JSON.stringify(welcome(state, version, opened)) },
      ...(newSettings
        ? [{ kind: 'send', text: JSON.stringify({ type: 'settings', settings: newSettings }) } as const]
        : []),
    ],
  }
}

function authenticate(state: RelayState, hello: Hello): RelayStep {
  const { relayId, nonce, versions } = state.relay
  const version = commonVersion(versions, hello.versions)
  if (version === undefined) return closeRelayConnection(state, 'version', versionRefusal(versions))
  const { deviceId, signature, bootId, journal } = hello
  const text = signedText({ purpose: 'hello', relayId, nonce, deviceId, journalId: journal.id, bootId })
  return {
    state: { ...state, phase: { kind: 'authenticating', hello, version } },
    effects: [authenticationLimit, pendingLater, { kind: 'authenticate', deviceId, text, signature }],
  }
}

function pair(state: RelayState, frame: Pair): RelayStep {
  const { relayId, nonce } = state.relay
  const { credential, publicKey } = frame
  const text = signedText({ purpose: 'pair', relayId, nonce, credential, publicKey })
  return {
    state: { ...state, phase: { kind: 'pairing' } },
    effects: [authenticationLimit, pendingLater, { kind: 'pair', pair: frame, text }],
  }
}

function welcome({ relay }: RelayState, version: number, opened: OpenedConnection): Welcome {
  return {
    type: 'welcome',
    version,
    connEpoch: opened.connEpoch,
    streamId: opened.streamId,
    mark: opened.mark,
    markTag: opened.markTag,
    previousBootId: opened.previousBootId,
    isRetired: opened.isRetired,
    window: relay.window,
    heartbeatSeconds: relay.heartbeatSeconds,
    serverTime: opened.serverTime,
    settings: opened.settings,
  }
}

const pendingLater: RelayEffect = { kind: 'set-timer', timer: 'pending', ...pendingPause }
const noPending: RelayEffect = { kind: 'cancel-timer', timer: 'pending' }
