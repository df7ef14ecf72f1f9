import type { Cancellation } from '../cancellation.ts'
import type { NotSent } from './command.ts'
import type { Exchange } from './exchange.ts'

/**
 * The queue of exchanges, first come, first served. A queued exchange that is cancelled leaves the queue at once and is
 * never written. An exchange in flight handles its own cancellation.
 *
 * `open` → `closed`: all queued and later exchanges end unsent because the port is lost.
 */
export class ExchangeQueue {
  readonly #dialogue: QueueingDialogue
  readonly #waiting: Exchange[] = []
  #closed = false

  constructor(dialogue: QueueingDialogue) {
    this.#dialogue = dialogue
  }

  get length(): number {
    return this.#waiting.length
  }

  add<Outcome>(
    cancellation: Cancellation | undefined,
    resolve: (outcome: Outcome | { kind: 'not-sent'; why: NotSent }) => void,
    create: (settle: (outcome: Outcome) => void) => Exchange,
  ): void {
    if (this.#closed || cancellation?.cancelled) {
      resolve({ kind: 'not-sent', why: this.#closed ? 'port-lost' : 'cancelled' })
      return
    }
    let stopListening: (() => void) | undefined
    const exchange = create((outcome) => {
      stopListening?.()
      resolve(outcome)
    })
    stopListening = cancellation?.onCancelled(() => this.#dialogue.run(() => this.#cancel(exchange)))
    this.#dialogue.run(() => {
      this.#waiting.push(exchange)
    })
  }

  /** The next exchange in the queue. */
  get first(): Exchange | undefined {
    return this.#waiting[0]
  }

  next(): Exchange | undefined {
    return this.#waiting.shift()
  }

  close(): void {
    this.#closed = true
    for (const exchange of this.#waiting.splice(0)) exchange.refuse('port-lost')
  }

  #cancel(exchange: Exchange): void {
    const place = this.#waiting.indexOf(exchange)
    if (place >= 0) {
      this.#waiting.splice(place, 1)
      exchange.refuse('cancelled')
    } else if (this.#dialogue.inFlight() === exchange) {
      exchange.cancelled()
    }
  }
}

interface QueueingDialogue {
  /** Runs the action when no other action runs, then continues with the queue. */
  readonly run: (action: () => void) => void
  readonly inFlight: () => Exchange | undefined
}
