/** A range for a random delay, so that a thousand agents do not act at the same moment. */
export interface PauseRange {
  readonly fromMs: number
  readonly toMs: number
}

interface HandshakeTimer extends PauseRange {
  readonly kind: 'set-timer'
  readonly timer: 'handshake'
}

/** The pause between two `pending` frames. The shortest limit of an agent is three times as long. */
export const pendingPause: PauseRange = { fromMs: 1_500, toMs: 2_000 }

/** The time limit until the relay has received the first frame. */
export const handshakeLimit: HandshakeTimer = { kind: 'set-timer', timer: 'handshake', fromMs: 15_000, toMs: 15_000 }

/**
 * The time limit after the first frame. When thousands of agents connect at once, for example after another relay
 * stopped, they are authenticated one after the other. A shorter limit would close their connections, and the agents
 * would have to connect again.
 */
export const authenticationLimit: HandshakeTimer = {
  kind: 'set-timer',
  timer: 'handshake',
  fromMs: 45_000,
  toMs: 45_000,
}
