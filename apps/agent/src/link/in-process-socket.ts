import type { LinkSocket, OpenSocket, SocketListener } from './link-socket.ts'

/** Of such a link, in place of an address. */
export const inThisProcess = 'in this process'

/** The relay's end of a link: takes a socket that is open, and is told what comes on it. */
export type AcceptSocket = (
  socket: LinkSocket,
  address: string,
) => {
  step(
    input: { readonly kind: 'received'; readonly text: string } | { readonly kind: 'closed'; readonly code: number },
  ): void
}

/**
 * A link within one process: both ends take it for a socket. Each end hears in order and never from within its own call,
 * and what was sent before a close arrives before it.
 */
export function socketInProcess(accept: AcceptSocket): OpenSocket {
  return (listener) => {
    const pair = new SocketPair(listener, accept)
    return pair.agentEnd
  }
}

class SocketPair {
  readonly #listener: SocketListener
  readonly #underWay: (() => void)[] = []
  #relay: ReturnType<AcceptSocket> | undefined
  #isClosed = false
  #isOver = false

  constructor(listener: SocketListener, accept: AcceptSocket) {
    this.#listener = listener
    this.#later(() => {
      // Before the relay's first word.
      listener.onOpened()
      if (!this.#isClosed) this.#relay = accept(this.#relayEnd, 'in-process')
    })
  }

  get agentEnd(): LinkSocket {
    return {
      send: (text) => this.#pass(() => this.#relay?.step({ kind: 'received', text })),
      close: (code, reason) => this.#close(code, reason),
    }
  }

  get #relayEnd(): LinkSocket {
    return {
      send: (text) => this.#pass(() => this.#listener.onText(text)),
      close: (code, reason) => this.#close(code, reason),
    }
  }

  /** Like a WebSocket: nothing is sent after a close, and what is under way then still arrives. */
  #pass(deliver: () => void): void {
    if (!this.#isClosed) this.#later(deliver)
  }

  #close(code: number, reason: string): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#later(() => {
      this.#isOver = true
      this.#listener.onClosed(code, reason)
      this.#relay?.step({ kind: 'closed', code })
    })
  }

  #later(work: () => void): void {
    this.#underWay.push(work)
    if (this.#underWay.length === 1) setImmediate(() => this.#deliver())
  }

  /** One at a time, so that neither end keeps the process from everything else. */
  #deliver(): void {
    const work = this.#underWay[0]
    try {
      if (!this.#isOver) work?.()
    } finally {
      this.#underWay.shift()
      if (this.#underWay.length > 0) setImmediate(() => this.#deliver())
    }
  }
}
