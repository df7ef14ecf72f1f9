import type { OutgoingPdu, OutgoingText, SubmitOptions, Submitted } from '@smsgw/modem/send/submit'

/** A SIM in a modem that is set up and registered. A new object represents the SIM after each reconnection. */
export interface SendingSim {
  readonly simNumber: number
  readonly iccid: string
  /** Undefined if neither the SIM nor the configuration contains the number. */
  readonly phoneNumber: string | undefined
  /**
   * True if the modem encodes the PDUs itself (HiLink). Such a modem accepts whole texts and does not report delivery.
   */
  readonly sendsText?: boolean
  submit(message: OutgoingPdu | OutgoingText, options: SubmitOptions): Promise<Submitted>
}
