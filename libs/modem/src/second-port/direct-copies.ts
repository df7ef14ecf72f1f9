import type { Clock } from '../clock.ts'

/** Recognises a direct delivery that the modem sends on both ports, so that the delivery is handled once. */
export class DirectCopies {
  readonly #clock: Clock
  #shown: { readonly port: Port; readonly payload: string; readonly atMs: number }[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns true if the other port has received the same delivery a moment ago. */
  isCopy(port: Port, payload: string): boolean {
    const atMs = this.#clock.nowMs()
    this.#shown = this.#shown.filter((shown) => atMs - shown.atMs < copyWithinMs)
    const copied = this.#shown.findIndex((shown) => shown.port !== port && shown.payload === payload)
    if (copied >= 0) this.#shown.splice(copied, 1)
    else this.#shown.push({ port, payload, atMs })
    return copied >= 0
  }
}

type Port = 'first' | 'second'

/** The time within which the copy of a delivery may arrive. It is long, because a port that hangs may receive late. */
const copyWithinMs = 30_000
