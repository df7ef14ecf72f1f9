import type { OutgoingPdu, SubmitOptions, Submitted } from '@smsgw/modem/send/submit'

/** A SIM in a modem that is set up and registered. A SIM that comes back is a new object. */
export interface SendingSim {
  readonly simNumber: number
  readonly iccid: string
  /** Undefined when neither the SIM nor the configuration gives it. */
  readonly phoneNumber: string | undefined
  submit(pdu: OutgoingPdu, options: SubmitOptions): Promise<Submitted>
}
