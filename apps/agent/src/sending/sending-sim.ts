import type { OutgoingPdu, OutgoingText, SubmitOptions, Submitted } from '@smsgw/modem/send/submit'

/** A SIM in a modem that is set up and registered. A new object represents the SIM after each reconnection. */
export interface SendingSim {
  readonly simNumber: number
  readonly iccid: string
  /** Undefined if neither the SIM nor the configuration contains the number. */
  readonly phoneNumber: string | undefined
  /** True if the modem composes the PDUs itself (HiLink), so that it takes whole texts and reports no delivery. */
  readonly sendsText?: boolean
  submit(message: OutgoingPdu | OutgoingText, options: SubmitOptions): Promise<Submitted>
}
