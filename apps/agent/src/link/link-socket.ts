/** A connection to the relay, whatever it runs over: a WebSocket, or a pair of functions in one process. */
export interface LinkSocket {
  send(text: string): void
  /** Whoever does not answer the close in time is cut off; `onClosed` is called in any case. */
  close(code: number, reason: string): void
}

export interface SocketListener {
  readonly onOpened: () => void
  readonly onText: (text: string) => void
  /** Also when it could not be opened: 1006. */
  readonly onClosed: (code: number, reason: string) => void
}

/** Never throws and calls nothing before it has returned. */
export type OpenSocket = (listener: SocketListener) => LinkSocket
