import { closeCodes } from '@smsgw/contract/link/close-code'
import type { Challenge, Hello, Pair, RelayFrame, Welcome } from '@smsgw/contract/link/frame'
import { signedText } from '../connection/signed-text.ts'
import { authenticationLimit } from '../connection/timers.ts'
import { commonVersion, versionRefusal } from '../connection/versions.ts'
import { answerLimit, cancelTimers, closeAgentConnection, closeAndTakeBack, closeEffect } from './connecting.ts'
import { countHello, countTakeovers, duplicateReason, duplicateVerdict, takeBackPause } from './duplicate-identity.ts'
import { beginOnline } from './online.ts'
import type { AgentPhase, AgentState, AgentStep } from './state.ts'

/** Returns undefined for a frame that is not expected in this phase of the handshake. */
export function handleRelayHandshake(state: AgentState, frame: RelayFrame): AgentStep | undefined {
  const { phase } = state
  if (phase.kind === 'awaiting-challenge' && frame.type === 'challenge') return answerChallenge(state, frame)
  if (phase.kind === 'pairing' && frame.type === 'paired') {
    return {
      state: { ...state, phase: { ...phase, kind: 'storing-identity' } },
      effects: [ownDiskLimit, { kind: 'store-identity', deviceId: frame.deviceId }],
    }
  }
  if (phase.kind === 'awaiting-welcome' && frame.type === 'welcome') return handleWelcome(state, frame)
  return undefined
}

export function identityStored(state: AgentState): AgentStep {
  const { phase } = state
  return phase.kind === 'storing-identity' ? sign(state, phase) : { state, effects: [] }
}

export function signed(state: AgentState, signature: string): AgentStep {
  const { phase, connection } = state
  if (phase.kind !== 'signing') return { state, effects: [] }
  const { identity } = phase
  const frame =
    'deviceId' in identity ? hello(state, identity.deviceId, signature) : pair(state, identity.credential, signature)
  const { sendsPending } = phase
  const next: AgentPhase =
    frame.type === 'hello' ? { kind: 'awaiting-welcome', sendsPending } : { ...phase, kind: 'pairing' }
  const limit = sendsPending ? answerLimit(state.stalled) : authenticationLimit
  const duplicate = frame.type === 'hello' ? countHello(state.duplicate) : state.duplicate
  return {
    state: { ...state, duplicate, phase: next },
    effects: [limit, { kind: 'send', connection, text: JSON.stringify(frame) }],
  }
}

export function tagCompared(state: AgentState, isSame: boolean): AgentStep {
  if (state.phase.kind !== 'comparing-tag') return { state, effects: [] }
  const { welcome } = state.phase
  return isSame
    ? beginOnline(state, welcome)
    : replaceJournal(state, welcome, 'the relay has stored different events for this journal')
}

function answerChallenge(state: AgentState, challenge: Challenge): AgentStep {
  const { versions } = state.agent
  if (commonVersion(versions, challenge.versions) === undefined)
    return closeAgentConnection(state, 'version', versionRefusal(versions))
  return sign(state, challenge)
}

function sign(
  state: AgentState,
  { relayId, nonce, sendsPending }: Pick<Challenge, 'relayId' | 'nonce' | 'sendsPending'>,
): AgentStep {
  const { identity, connection, agent, journal } = state
  const text = signedText(
    'deviceId' in identity
      ? { purpose: 'hello', relayId, nonce, deviceId: identity.deviceId, journalId: journal.id, bootId: agent.bootId }
      : { purpose: 'pair', relayId, nonce, credential: identity.credential, publicKey: agent.publicKey },
  )
  return {
    state: { ...state, phase: { kind: 'signing', identity, relayId, nonce, sendsPending } },
    effects: [{ kind: 'sign', connection, text }],
  }
}

function pair({ agent }: AgentState, credential: string, signature: string): Pair {
  return { type: 'pair', credential, publicKey: agent.publicKey, signature, name: agent.name }
}

function hello({ agent, journal, outbox }: AgentState, deviceId: string, signature: string): Hello {
  const { versions, agentVersion, capabilities, bootId, isClockSynchronised, sims, encryptionKey, aliasKey } = agent
  const { first, tail, mark } = outbox
  return {
    type: 'hello',
    deviceId,
    signature,
    versions,
    agentVersion,
    capabilities: [...capabilities],
    bootId,
    journal: { id: journal.id, first, tail, mark, replaces: journal.replaces },
    streamId: journal.streamId,
    isClockSynchronised,
    sims: [...sims],
    encryptionKey,
    aliasKey,
  }
}

/**
 * The welcome contains the last event of this journal that the relay has stored. If the relay has more events than the
 * journal, or different ones, the journal is an old copy, and its messages may already have been sent.
 */
function handleWelcome(before: AgentState, welcome: Welcome): AgentStep {
  const state = { ...before, stalled: 0, duplicate: countTakeovers(before.duplicate, before.agent.bootId, welcome) }
  const { outbox, connection, agent } = state
  const { mark, markTag, isRetired, version } = welcome
  if (version < agent.versions.min || version > agent.versions.max) {
    return closeAgentConnection(state, 'version', versionRefusal(agent.versions))
  }
  const verdict = duplicateVerdict(state.duplicate)
  if (verdict === 'take-back') return closeAndTakeBack(state, 'cloned', duplicateReason, takeBackPause)
  if (verdict === 'stop') return closeAgentConnection(state, 'cloned', duplicateReason)
  if (isRetired) return replaceJournal(state, welcome, 'the device uses a newer journal now')
  if (mark > outbox.tail)
    return replaceJournal(
      state,
      welcome,
      `the relay has stored ${mark} events of this journal, which has only ${outbox.tail}`,
    )
  if (markTag === undefined || mark < outbox.first) return beginOnline(state, welcome)
  return {
    state: { ...state, phase: { kind: 'comparing-tag', welcome } },
    effects: [ownDiskLimit, { kind: 'compare-tag', connection, seq: mark, tag: markTag }],
  }
}

function replaceJournal(state: AgentState, welcome: Welcome, reason: string): AgentStep {
  const { outbox, journal } = state
  // A restored database may lack events that it had acknowledged before.
  const provenMark = journal.streamId === welcome.streamId ? outbox.mark : 0
  return {
    state: { ...state, phase: { kind: 'replacing-journal' } },
    effects: [
      closeEffect(state, closeCodes['old-copy'].code, `the journal is an old copy: ${reason}`),
      ...cancelTimers,
      { kind: 'replace-journal', journalId: journal.id, provenMark },
    ],
  }
}

/** The limit is long because the disk of this computer may be slow. A new connection would not make the disk faster. */
const ownDiskLimit = authenticationLimit
