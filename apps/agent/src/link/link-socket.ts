import type { EventsFrame } from '@smsgw/contract/link/frame'
import type { Unreachable } from '@smsgw/link/agent/state'

/** A connection to the relay, which is a WebSocket or a link within the process. */
export interface LinkSocket {
  /** `frame` is the same frame, which a link within the process passes on as it is. */
  send(text: string, frame?: EventsFrame): void
  /**
   * Closes the connection, forcibly if the relay does not answer in time. `onClosed` or `onUnreachable` is always
   * called.
   */
  close(code: number, reason: string): void
}

export interface SocketListener {
  /** Called when the TCP connection is established, before the handshakes of TLS and WebSocket. */
  readonly onReached?: () => void
  readonly onOpened: () => void
  readonly onText: (text: string) => void
  /** Called when the connection has ended. The code is 1006 if the relay did not accept the connection. */
  readonly onClosed: (code: number, reason: string) => void
  /** Called instead of `onClosed` when no relay is running, or when the network is down. */
  readonly onUnreachable: (unreachable: Unreachable) => void
}

/** Never throws, and never calls the listener before it returns. */
export type OpenSocket = (listener: SocketListener) => LinkSocket
