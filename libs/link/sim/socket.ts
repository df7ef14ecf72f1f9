import type { RandomChoices } from '@smsgw/simulation/random-choices'
import type { VirtualTime } from '@smsgw/simulation/virtual-time'

export type Side = 'agent' | 'relay'

/** The callbacks of one end of a socket. */
export interface End {
  received(text: string): void
  closed(code: number, reason: string): void
}

/**
 * One TCP connection, on which bytes arrive in order or not at all. Bytes may arrive late, because they are delayed, or
 * blocked in one direction or both. Undelivered bytes are lost when the connection ends. When one direction fails, all
 * later bytes in this direction are lost. An end may not notice for a long time that the other end has closed.
 */
export class Socket {
  readonly #time: VirtualTime
  readonly #random: RandomChoices
  readonly #ends: Partial<Record<Side, End | undefined>> = {}
  readonly #lanes: Record<Side, Lane> = { agent: newLane(), relay: newLane() }
  readonly #latencyMs: number
  readonly #isLost: (from: Side, text: string) => boolean

  /**
   * `isLost` is called for each frame. If it returns true, this frame and all later frames in the same direction are
   * lost.
   */
  constructor(
    time: VirtualTime,
    random: RandomChoices,
    latencyMs: number,
    isLost: (from: Side, text: string) => boolean,
  ) {
    this.#time = time
    this.#random = random
    this.#latencyMs = latencyMs
    this.#isLost = isLost
  }

  attach(side: Side, end: End): void {
    this.#ends[side] = end
  }

  send(from: Side, text: string): void {
    this.#enqueue(from, { text })
  }

  /**
   * Notifies the other end after all earlier bytes have arrived. Bytes that the other end has already sent still arrive
   * at `from`.
   */
  close(from: Side, code: number, reason: string): void {
    this.#enqueue(from, { code, reason })
  }

  /** Delays all data that `side` sends, until the direction is unblocked. */
  block(side: Side): void {
    this.#lanes[side].isBlocked = true
  }

  heal(): void {
    for (const side of sides) {
      this.#lanes[side].isBlocked = false
      this.#deliver(side)
    }
  }

  /** Delays all data in both directions for `ms`. */
  delay(ms: number): void {
    for (const side of sides)
      this.#lanes[side].heldUntilMs = Math.max(this.#lanes[side].heldUntilMs, this.#time.nowMs + ms)
  }

  /** Delivers a part of the bytes in flight, then ends the connection. `notified`: which ends are notified. */
  cut(notified: Readonly<Record<Side, boolean>>): void {
    for (const side of sides) {
      const lane = this.#lanes[side]
      lane.queue.length = this.#random.below(lane.queue.length + 1)
      if (notified[other(side)]) this.#enqueue(side, { code: 1006, reason: '' })
      lane.isEnded = true
    }
  }

  #enqueue(from: Side, packet: Packet): void {
    const lane = this.#lanes[from]
    if (lane.isEnded) return
    if ('text' in packet && this.#isLost(from, packet.text)) {
      lane.isEnded = true
      return
    }
    if ('code' in packet) lane.isEnded = true
    const jitterMs = this.#latencyMs * this.#random.between(0.5, 1.5)
    const dueAtMs = Math.max(lane.lastDueAtMs, this.#time.nowMs + jitterMs)
    lane.lastDueAtMs = dueAtMs
    lane.queue.push({ ...packet, dueAtMs })
    this.#time.after(dueAtMs - this.#time.nowMs, () => this.#deliver(from))
  }

  #deliver(from: Side): void {
    const lane = this.#lanes[from]
    const { nowMs } = this.#time
    if (lane.isBlocked) return
    if (nowMs < lane.heldUntilMs) {
      this.#time.after(lane.heldUntilMs - nowMs, () => this.#deliver(from))
      return
    }
    while (lane.queue[0] !== undefined && lane.queue[0].dueAtMs <= nowMs)
      this.#arrive(from, lane.queue.shift() as Packet)
  }

  #arrive(from: Side, packet: Packet): void {
    const end = this.#ends[other(from)]
    if ('text' in packet) end?.received(packet.text)
    else {
      this.#ends[other(from)] = undefined
      end?.closed(packet.code, packet.reason)
    }
  }
}

type Packet = { readonly text: string } | { readonly code: number; readonly reason: string }

interface Lane {
  readonly queue: (Packet & { readonly dueAtMs: number })[]
  lastDueAtMs: number
  heldUntilMs: number
  isBlocked: boolean
  isEnded: boolean
}

const sides: readonly Side[] = ['agent', 'relay']

function newLane(): Lane {
  return { queue: [], lastDueAtMs: 0, heldUntilMs: 0, isBlocked: false, isEnded: false }
}

function other(side: Side): Side {
  return side === 'agent' ? 'relay' : 'agent'
}
