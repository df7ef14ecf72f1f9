import type { WakeHint } from './wake-hint.ts'

/** Carries hints to the other relays. Small, so that another bus can take the place of the database. */
export interface HintBus {
  /** Best effort: never fails, never waits for anybody. */
  publish(hints: readonly WakeHint[]): void
  /** What the others published; `missed` when some may not have come, as after a broken connection. */
  subscribe(hear: (hints: readonly WakeHint[]) => void, missed: () => void): void
  close(): Promise<void>
}

/** True: nobody else needs to hear it, as the socket that it is about is here. */
type Listener = (hint: WakeHint) => boolean | undefined

/**
 * Tells after a commit that there is something to do, within milliseconds where polling would take seconds. Listeners in
 * this process hear it at once and without the bus; only what they do not take goes out, a few milliseconds' worth at a
 * time and each hint once, so that a thousand messages for one device are one hint.
 */
export class WakeHints {
  readonly #bus: HintBus
  readonly #listeners = new Set<Listener>()
  readonly #onMissed = new Set<() => void>()
  #pending = new Map<string, WakeHint>()
  #timer: NodeJS.Timeout | undefined

  constructor(bus: HintBus) {
    this.#bus = bus
    bus.subscribe(
      (hints) => {
        for (const hint of hints) this.#hear(hint)
      },
      () => {
        for (const missed of this.#onMissed) missed()
      },
    )
  }

  wake(deviceIds: readonly string[]): void {
    for (const deviceId of deviceIds) this.#tell({ kind: 'wake', deviceId })
  }

  settingsChanged(accountId: string): void {
    this.#tell({ kind: 'settings-changed', accountId })
  }

  disconnect(deviceId: string): void {
    this.#tell({ kind: 'device-revoked', deviceId })
  }

  superseded(deviceId: string, connEpoch: number, bootId: string): void {
    this.#tell({ kind: 'superseded', deviceId, connEpoch, bootId })
  }

  tokenRevoked(familyId: string): void {
    this.#tell({ kind: 'token-revoked', familyId })
  }

  answered(cmdIds: readonly string[]): void {
    for (const cmdId of cmdIds) this.#tell({ kind: 'answered', cmdId })
  }

  /** `missed` is called when hints may have been lost. Returns what ends it. */
  listen(listener: Listener, missed?: () => void): () => void {
    this.#listeners.add(listener)
    if (missed) this.#onMissed.add(missed)
    return () => {
      this.#listeners.delete(listener)
      if (missed) this.#onMissed.delete(missed)
    }
  }

  async close(): Promise<void> {
    this.#flush()
    await this.#bus.close()
  }

  #tell(hint: WakeHint): void {
    if (this.#hear(hint)) return
    this.#pending.set(JSON.stringify(hint), hint)
    this.#timer ??= setTimeout(() => this.#flush(), COALESCE_MS)
  }

  #hear(hint: WakeHint): boolean {
    // All of them hear it, also when the first one takes it.
    return [...this.#listeners].map((listener) => listener(hint)).includes(true)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const hints = [...this.#pending.values()]
    this.#pending = new Map()
    if (hints.length > 0) this.#bus.publish(hints)
  }
}

const COALESCE_MS = 10
