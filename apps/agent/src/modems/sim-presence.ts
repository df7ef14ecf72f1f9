import type { Clock } from '@smsgw/modem/clock'
import type { ModemNumber } from '@smsgw/modem/commands/identity'
import type { ModemState } from '@smsgw/modem/modem-state'
import type { Incoming } from '@smsgw/modem/receive/incoming-message'
import type { ReceivingSim } from '../receiving/slot-cleaner.ts'
import type { SendingSim } from '../sending/sending-sim.ts'

/** A SIM of a modem that is set up, in the form that the sender and the receiver use. */
export type ActiveSim = SendingSim & ReceivingSim

export interface SimListener {
  /** Called when the stored and incoming messages of the SIM can be read. */
  readonly onReadable: (sim: ActiveSim) => void
  readonly onUnreadable: (sim: ActiveSim) => void
  /** Called when the SIM is registered and can send messages. */
  readonly onSending: (sim: ActiveSim) => void
  readonly onNotSending: (sim: ActiveSim) => void
  /** `ageMs`: how long ago the message arrived, if it was kept until the SIM was known. */
  readonly onIncoming: (sim: ActiveSim, incoming: Incoming, ageMs?: number) => void
}

/**
 * The states of the SIM of one modem: none, readable (the modem is set up) and sending (the modem is also registered).
 * While `maySend` returns false, the SIM only receives.
 */
export class SimPresence {
  readonly #listener: SimListener
  readonly #clock: Clock
  readonly #maySend: () => boolean
  #sim: ActiveSim | undefined
  #isSending = false
  /** Messages that arrived before the SIM was known. */
  #early: readonly { readonly incoming: Incoming; readonly atMs: number }[] = []

  constructor(options: { readonly listener: SimListener; readonly clock: Clock }, maySend: () => boolean) {
    this.#listener = options.listener
    this.#clock = options.clock
    this.#maySend = maySend
  }

  get sim(): ActiveSim | undefined {
    return this.#sim
  }

  enter(sim: ActiveSim, state: ModemState): void {
    this.leave()
    this.#sim = sim
    this.#listener.onReadable(sim)
    const early = this.#early
    this.#early = []
    const nowMs = this.#clock.nowMs()
    for (const { incoming, atMs } of early) this.#listener.onIncoming(sim, incoming, nowMs - atMs)
    this.update(state)
  }

  /**
   * Passes on a message or report. A modem with a stored `+CNMI` setting may deliver messages during its setup, and
   * may not deliver them again, so they are kept until the SIM is known. Their age shows whether the network has
   * repeated one of them.
   */
  receive(incoming: Incoming): void {
    if (this.#sim !== undefined) this.#listener.onIncoming(this.#sim, incoming)
    else if (this.#early.length < mostEarly) this.#early = [...this.#early, { incoming, atMs: this.#clock.nowMs() }]
  }

  /** Must be called when another modem has answered on the port, because the messages may belong to that modem. */
  forgetEarly(): void {
    this.#early = []
  }

  update(state: ModemState): void {
    const sim = this.#sim
    if (sim === undefined) return
    if (!isSetUp(state)) {
      this.leave()
      return
    }
    const maySend = canSend(state) && this.#maySend()
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

/** Full storage does not prevent sending; delivery reports arrive when there is space again. */
function canSend(state: ModemState): boolean {
  if (state.name === 'ready') return true
  return state.name === 'degraded' && state.reasons.every((reason) => reason === 'storage-full')
}

/** The name of the slot of a SIM that reports no number of its own. Modems that share an IMEI get different names. */
export function slotName({ imei }: ModemNumber, modemId: string): string {
  return imei === undefined ? modemId : `${imei}${modemId.slice(imeiDigitsInId)}`
}

/** More messages than a network delivers during a setup. */
const mostEarly = 1000

/** Ids of modems contain the IMEI without its check digit. */
const imeiDigitsInId = 14
