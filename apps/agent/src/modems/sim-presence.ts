import type { ModemState } from '@smsgw/modem/modem-state'
import type { ReceivingSim } from '../receiving/receiving-sim.ts'
import type { SendingSim } from '../sending/sim.ts'

/** A SIM in a modem that is set up, for as long as it is: what sending and receiving work with. */
export type ActiveSim = SendingSim & ReceivingSim

export interface SimListener {
  /** It can be read: what lies on it, and what comes in. */
  readonly onReadable: (sim: ActiveSim) => void
  readonly onUnreadable: (sim: ActiveSim) => void
  /** It is registered, and takes messages. */
  readonly onSending: (sim: ActiveSim) => void
  readonly onNotSending: (sim: ActiveSim) => void
}

/** The SIM of one modem: none → readable (set up: messages are read and deleted) ⇄ sending (registered) → none. */
export class SimPresence {
  readonly #listener: SimListener
  #sim: ActiveSim | undefined
  #isSending = false

  constructor(listener: SimListener) {
    this.#listener = listener
  }

  get sim(): ActiveSim | undefined {
    return this.#sim
  }

  enter(sim: ActiveSim, state: ModemState): void {
    this.leave()
    this.#sim = sim
    this.#listener.onReadable(sim)
    this.heard(state)
  }

  heard(state: ModemState): void {
    const sim = this.#sim
    if (sim === undefined) return
    if (!isSetUp(state)) {
      this.leave()
      return
    }
    const maySend = takesMessages(state)
    if (maySend === this.#isSending) return
    this.#isSending = maySend
    if (maySend) this.#listener.onSending(sim)
    else this.#listener.onNotSending(sim)
  }

  leave(): void {
    const sim = this.#sim
    if (sim === undefined) return
    this.#sim = undefined
    if (this.#isSending) this.#listener.onNotSending(sim)
    this.#isSending = false
    this.#listener.onUnreadable(sim)
  }
}

function isSetUp({ name }: ModemState): boolean {
  return name === 'registering' || name === 'ready' || name === 'degraded'
}

/** A full storage is no reason not to send; reports come in as soon as there is room. */
function takesMessages(state: ModemState): boolean {
  if (state.name === 'ready') return true
  return state.name === 'degraded' && state.reasons.every((reason) => reason === 'storage-full')
}
