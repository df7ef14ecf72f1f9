import type { OutgoingPdu, SubmitOptions, Submitted } from '@smsgw/modem/submit'

/** A SIM that can send: in a modem that is set up and registered. Gone and back, it is another one. */
export interface SendingSim {
  readonly simNumber: number
  readonly iccid: string
  /** Its own number, when it or the configuration tells. */
  readonly phoneNumber: string | undefined
  submit(pdu: OutgoingPdu, options: SubmitOptions): Promise<Submitted>
}
