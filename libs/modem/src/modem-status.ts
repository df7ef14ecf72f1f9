import type { Memory, MemoryUsage } from './commands/message-storage.ts'
import type { ModemEvent } from './modem-event.ts'
import { deriveState, type ModemFacts, type ModemState, sameState } from './modem-state.ts'
import { RegistrationWatch } from './registration-watch.ts'
import { StorageGauges } from './storage-gauges.ts'

/** What is known of a modem: the facts that its state is derived from, where it is registered, how full it is. */
export class ModemStatus {
  readonly registration: RegistrationWatch
  readonly gauges = new StorageGauges()
  readonly #onEvent: (event: ModemEvent) => void
  #facts: ModemFacts = untouched
  #state: ModemState = deriveState(untouched)

  constructor(onEvent: (event: ModemEvent) => void) {
    this.#onEvent = onEvent
    this.registration = new RegistrationWatch(() => this.#registrationChanged())
  }

  get state(): ModemState {
    return this.#state
  }

  know(news: Partial<ModemFacts>): void {
    this.#facts = { ...this.#facts, ...news }
    const state = deriveState(this.#facts)
    if (sameState(state, this.#state)) return
    this.#state = state
    this.#onEvent({ kind: 'state', state })
  }

  /** `receiveInto`: the memory that must not be full, when it is known. */
  measured(memory: Memory, usage: MemoryUsage, receiveInto: Memory | undefined): void {
    const gauge = this.gauges.measure(memory, usage)
    if (gauge === undefined) return
    this.#onEvent({ kind: 'storage', gauge })
    this.know({ storageFull: this.gauges.isFull(receiveInto) })
  }

  /** The session is over: nothing that was known in it holds any more. */
  forgetSession(): void {
    this.registration.forget()
    this.gauges.clear()
    this.know({ setUp: 'probing', registered: false, wasRegistered: false, storageFull: false })
  }

  #registrationChanged(): void {
    const { registered, best } = this.registration
    this.know({ registered, wasRegistered: this.#facts.wasRegistered || registered })
    this.#onEvent({ kind: 'registration', registered, best })
  }
}

const untouched: ModemFacts = {
  absent: 'not started',
  setUp: 'probing',
  registered: false,
  wasRegistered: false,
  answering: true,
  storageFull: false,
}
