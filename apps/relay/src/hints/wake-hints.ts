// Outbound path, step 5: wakes the relay that holds the socket of the device. Next: connected-agents.ts.

import type { WakeHint } from './wake-hint.ts'

/** Carries hints to the other relays. The interface is small, so that another bus can replace the database. */
export interface HintBus {
  /** Best effort. Resolves when the hints are sent or dropped, and never rejects. */
  publish(hints: readonly WakeHint[]): Promise<void>
  /**
   * Receives the hints of other relays. Calls `onMissed` when some may be lost, for example after a lost connection.
   */
  subscribe(onHints: (hints: readonly WakeHint[]) => void, onMissed: () => void): void
  close(): Promise<void>
}

/** Returns true when no other relay needs the hint, because this process has the socket of the device. */
type Listener = (hint: WakeHint) => boolean | undefined

/**
 * Wakes the process that has work to do after a commit. This takes milliseconds, whereas a poll would take seconds.
 * Listeners in this process are called at once. Hints that no listener takes are collected for a few milliseconds. If
 * the bus is still sending earlier hints, they are collected until it has finished. Then they are sent without
 * duplicates. A thousand messages for one device result in one hint, and a slow bus gets fewer and larger requests.
 * When too many hints wait, new ones are dropped, and the other relays find the work when they poll.
 */
export class WakeHints {
  readonly #bus: HintBus
  readonly #listeners = new Set<Listener>()
  readonly #missedListeners = new Set<() => void>()
  #pending = new Map<string, WakeHint>()
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined

  constructor(bus: HintBus) {
    this.#bus = bus
    bus.subscribe(
      (hints) => {
        for (const hint of hints) this.#notifyListeners(hint)
      },
      () => {
        for (const onMissed of this.#missedListeners) onMissed()
      },
    )
  }

  wake(deviceIds: readonly string[]): void {
    for (const deviceId of deviceIds) this.#publish({ kind: 'wake', deviceId })
  }

  /** Wakes the relay of a device for a message. While the device grants no credit, only urgent messages are claimed. */
  wakeForSend(deviceId: string, isUrgent: boolean): void {
    this.#publish({ kind: 'wake', deviceId, ...(!isUrgent && { due: 'ordinary-sends' }) })
  }

  settingsChanged(accountId: string): void {
    this.#publish({ kind: 'settings-changed', accountId })
  }

  disconnect(deviceId: string): void {
    this.#publish({ kind: 'device-revoked', deviceId })
  }

  superseded(deviceId: string, connEpoch: number, bootId: string): void {
    this.#publish({ kind: 'superseded', deviceId, connEpoch, bootId })
  }

  accessChanged(accountId: string): void {
    this.#publish({ kind: 'access-changed', accountId })
  }

  answered(cmdIds: readonly string[]): void {
    for (const cmdId of cmdIds) this.#publish({ kind: 'answered', cmdId })
  }

  /** Calls `onMissed` when hints may have been lost. Returns the function that removes the listener. */
  listen(listener: Listener, onMissed?: () => void): () => void {
    this.#listeners.add(listener)
    if (onMissed) this.#missedListeners.add(onMissed)
    return () => {
      this.#listeners.delete(listener)
      if (onMissed) this.#missedListeners.delete(onMissed)
    }
  }

  /** Sends the hints that wait, then closes the bus. */
  async close(): Promise<void> {
    this.#flush()
    while (this.#sending !== undefined) await this.#sending
    await this.#bus.close()
  }

  #publish(hint: WakeHint): void {
    if (this.#notifyListeners(hint)) return
    if (this.#pending.size >= MOST_PENDING) return
    this.#pending.set(JSON.stringify(hint), hint)
    this.#timer ??= setTimeout(() => this.#flush(), COALESCE_MS)
  }

  #notifyListeners(hint: WakeHint): boolean {
    // Every listener is called, even when the first one takes the hint.
    return [...this.#listeners].map((listener) => listener(hint)).includes(true)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#sending !== undefined) return
    const hints = [...this.#pending.values()]
    this.#pending = new Map()
    if (hints.length === 0) return
    this.#sending = this.#bus.publish(hints).then(() => {
      this.#sending = undefined
      this.#flush()
    })
  }
}

const COALESCE_MS = 10
/** The largest number of waiting hints, enough for one hint for each device of a large relay. */
const MOST_PENDING = 10_000
