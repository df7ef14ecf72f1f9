import type { Memory, MemoryUsage } from './commands/messages/message-storage.ts'
import type { ModemEvent } from './modem-event.ts'
import { deriveState, type ModemFacts, type ModemState, sameState } from './modem-state.ts'
import { StorageGauges } from './receive/storage-gauges.ts'
import { RegistrationWatch } from './setup/registration-watch.ts'

/** The status of a modem: the facts from which its state is derived, its registration, its storage. */
export class ModemStatusWatch {
  readonly registration: RegistrationWatch
  readonly gauges = new StorageGauges()
  readonly #onEvent: (event: ModemEvent) => void
  #facts: ModemFacts = initialFacts
  #state: ModemState = deriveState(initialFacts)

  constructor(onEvent: (event: ModemEvent) => void) {
    this.#onEvent = onEvent
    this.registration = new RegistrationWatch(() => this.#registrationChanged())
  }

  get state(): ModemState {
    return this.#state
  }

  update(changes: Partial<ModemFacts>): void {
    this.#facts = { ...this.#facts, ...changes }
    const state = deriveState(this.#facts)
    if (sameState(state, this.#state)) return
    this.#state = state
    this.#onEvent({ kind: 'state', state })
  }

  /** `receiveInto`: the memory for received messages, if known. */
  measured(memory: Memory, usage: MemoryUsage, receiveInto: Memory | undefined): void {
    const gauge = this.gauges.measure(memory, usage)
    if (gauge === undefined) return
    this.#onEvent({ kind: 'storage', gauge })
    this.update({ storageFull: this.gauges.isFull(receiveInto) })
  }

  /** Ends the session and discards everything that was valid only in it. */
  forgetSession(): void {
    this.registration.forget()
    this.gauges.clear()
    this.update({ setUp: 'probing', registered: false, wasRegistered: false, storageFull: false })
  }

  #registrationChanged(): void {
    const { registered, best } = this.registration
    this.update({ registered, wasRegistered: this.#facts.wasRegistered || registered })
    this.#onEvent({ kind: 'registration', registered, best })
  }
}

const initialFacts: ModemFacts = {
  absent: 'not started',
  setUp: 'probing',
  registered: false,
  wasRegistered: false,
  answering: true,
  storageFull: false,
}
