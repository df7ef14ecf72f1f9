import type { EventsFrame } from '@smsgw/contract/link/frame'
import type { LinkSocket, OpenSocket, SocketListener } from './link-socket.ts'

/** The relay URL of an in-process link. */
export const inThisProcess = 'in this process'

/** The relay's end of a link: accepts an open socket and returns the listener for its inputs. */
export type AcceptSocket = (
  socket: LinkSocket,
  address: string,
) => {
  step(
    input:
      | { readonly kind: 'received'; readonly text: string; readonly frame?: EventsFrame | undefined }
      | { readonly kind: 'closed'; readonly code: number },
  ): void
}

/**
 * A link within one process that behaves like a socket at both ends: inputs arrive in order and never during a call of
 * the other end. Data that was sent before the socket was closed still arrives, before the close.
 */
export function socketInProcess(accept: AcceptSocket): OpenSocket {
  return (listener) => {
    const pair = new SocketPair(listener, accept)
    return pair.agentEnd
  }
}

class SocketPair {
  readonly #listener: SocketListener
  readonly #deliveries: SocketDelivery[] = []
  #relay: ReturnType<AcceptSocket> | undefined
  #isClosed = false
  #isFinished = false

  constructor(listener: SocketListener, accept: AcceptSocket) {
    this.#listener = listener
    this.#later(() => {
      // The agent is notified first, so that the relay cannot send anything before this notification.
      listener.onOpened()
      if (!this.#isClosed) this.#relay = accept(this.#relayEnd, 'in-process')
    })
  }

  get agentEnd(): LinkSocket {
    return {
      send: (text, frame) => this.#pass(text, () => this.#relay?.step({ kind: 'received', text, frame })),
      close: (code, reason) => this.#close(code, reason),
    }
  }

  get #relayEnd(): LinkSocket {
    return {
      send: (text) => this.#pass(text, () => this.#listener.onText(text)),
      close: (code, reason) => this.#close(code, reason),
    }
  }

  /** As with a WebSocket, nothing is sent after the socket was closed, but data that was sent earlier still arrives. */
  #pass(text: string, deliver: () => void): void {
    if (!this.#isClosed) this.#later(deliver, text.length)
  }

  #close(code: number, reason: string): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#later(() => {
      this.#isFinished = true
      this.#listener.onClosed(code, reason)
      this.#relay?.step({ kind: 'closed', code })
    })
  }

  #later(work: () => void, characters = 0): void {
    this.#deliveries.push({ work, characters })
    if (this.#deliveries.length === 1) setImmediate(() => this.#deliver())
  }

  /**
   * Delivers inputs up to a certain size in each iteration of the event loop, so that a busy link does not block the
   * process.
   */
  #deliver(): void {
    let characters = 0
    try {
      for (let next = this.#deliveries[0]; next && characters < charactersInTurn; next = this.#deliveries[0]) {
        characters += next.characters
        this.#take(next)
      }
    } finally {
      if (this.#deliveries.length > 0) setImmediate(() => this.#deliver())
    }
  }

  #take({ work }: SocketDelivery): void {
    try {
      if (!this.#isFinished) work()
    } finally {
      this.#deliveries.shift()
    }
  }
}

interface SocketDelivery {
  readonly work: () => void
  readonly characters: number
}

/** About forty commands have this size. */
const charactersInTurn = 16_384
