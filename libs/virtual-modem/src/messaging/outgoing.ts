import type { Address } from '@smsgw/sms/fields/address'
import { PduDecodeError } from '@smsgw/sms/pdu-error'
import type { Submit } from '@smsgw/sms/tpdu/submit'
import { type CommandTpdu, decodeOutgoing } from '@smsgw/sms/tpdu/tpdu'
import type { Clock } from '../clock.ts'
import type { MessageTraits } from '../equipment/personality-traits.ts'
import type { Network } from '../network/network.ts'
import type { Sim } from '../sim/sim.ts'

/** Sends messages from the modem to the service centre, one after the other, from all terminals. */
export class Outgoing {
  submitted = 0
  readonly #modem: OutgoingModem
  #sending = false
  readonly #waiting: (() => void)[] = []
  #waitingForReport: (() => void) | undefined

  constructor(modem: OutgoingModem) {
    this.#modem = modem
  }

  /** Uses the next reference of the SIM instead of the reference in the PDU, like nearly all modems. */
  send(message: SubmittedPdu, done: (result: SendResult) => void): void {
    if (this.#sending) {
      this.#waiting.push(() => this.send(message, done))
      return
    }
    this.#sending = true
    this.#send(message, (result) => {
      this.#sending = false
      done(result)
      this.#waiting.shift()?.()
    })
  }

  #send({ pdu, serviceCentre, tpdu }: SubmittedPdu, done: (result: SendResult) => void): void {
    const { sim, network, radio, clock, personality, imei } = this.#modem
    if (sim === undefined) {
      done({ ok: false, cms: 310 })
      return
    }
    if (!radio.registered) {
      done({ ok: false, cms: 331 })
      return
    }
    if (serviceCentre === undefined && sim.serviceCentre === '') {
      done({ ok: false, cms: 330 })
      return
    }
    const reference = sim.nextMessageReference()
    const octets = pdu.slice(1 + (pdu[0] ?? 0))
    octets[1] = reference
    const timer = clock.after(personality.messages.submitWithinMs, () => finish({ ok: false, cms: 332 }))
    let open = true
    const finish = (result: SendResult) => {
      if (!open) return
      open = false
      timer.cancel()
      done(result)
    }
    if (tpdu.kind === 'command') {
      clock.after(network.latencyMs(), () => finish({ ok: true, reference }))
      return
    }
    network.submit(sim, imei, octets, { ...tpdu, messageReference: reference }, (result) => {
      if (result.ok) this.submitted += 1
      finish(result.ok ? { ok: true, reference } : { ok: false, cms: result.cause })
    })
  }

  /** Runs the function after the next report has been shown, or after `atMostMs`. */
  afterNextReport(atMostMs: number, run: () => void): void {
    const once = () => {
      if (this.#waitingForReport !== once) return
      this.#waitingForReport = undefined
      run()
    }
    this.#waitingForReport = once
    this.#modem.clock.after(atMostMs, once)
  }

  reportShown(): void {
    this.#waitingForReport?.()
  }
}

/** The parts of the modem that sending a message needs. */
export interface OutgoingModem {
  readonly imei: string
  readonly sim: Sim | undefined
  readonly network: Network
  readonly radio: { readonly registered: boolean }
  readonly clock: Clock
  readonly personality: { readonly messages: MessageTraits }
}

export interface SubmittedPdu {
  /** Service centre address and TPDU. */
  readonly pdu: Uint8Array
  readonly serviceCentre: Address | undefined
  readonly tpdu: Submit | CommandTpdu
}

/** Throws PduDecodeError unless the octets are a SUBMIT or a COMMAND. */
export function readOutgoing(pdu: Uint8Array): SubmittedPdu {
  const { serviceCentre, tpdu } = decodeOutgoing(pdu)
  if (tpdu.kind === 'deliver-report')
    throw new PduDecodeError('TP-MTI', 1 + (pdu[0] ?? 0), 'is the type of a deliver report; expected SUBMIT or COMMAND')
  return { pdu, serviceCentre, tpdu }
}

export type SendResult =
  | { readonly ok: true; readonly reference: number }
  | { readonly ok: false; readonly cms: number }
