import { type CloseName, closeCodes } from '@smsgw/contract/link/close-code'
import { closeReason } from '../connection/close-reason.ts'
import type { RelayEffect, RelayState, RelayStep } from './state.ts'

/** Closes the connection from this end. */
export function closeRelayConnection(state: RelayState, why: CloseName, reason: string): RelayStep {
  const over = connectionEnded(state)
  const close: RelayEffect = { kind: 'close', code: closeCodes[why].code, reason: closeReason(reason) }
  return { state: over.state, effects: [close, ...over.effects] }
}

/** The socket is closed. */
export function connectionEnded(state: RelayState): RelayStep {
  const connEpoch = state.phase.kind === 'open' ? state.phase.connEpoch : undefined
  return {
    state: { ...state, phase: { kind: 'closed', connEpoch } },
    effects: [...cancelTimers, ...(connEpoch === undefined ? [] : [{ kind: 'close-connection', connEpoch } as const])],
  }
}

const cancelTimers: readonly RelayEffect[] = (['handshake', 'pending', 'tick', 'retry', 'store'] as const).map(
  (timer) => ({
    kind: 'cancel-timer',
    timer,
  }),
)
