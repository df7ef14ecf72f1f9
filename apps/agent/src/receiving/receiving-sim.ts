import type { Memory } from '@smsgw/modem/commands/message-storage'
import type { Deletion } from '@smsgw/modem/message-slots'

/** A SIM that messages come in by, as long as its modem is set up. */
export interface ReceivingSim {
  readonly simNumber: number
  readonly iccid: string
  /** Its own number, when it or the configuration tells. */
  readonly phoneNumber: string | undefined
  deleteMessage(slot: { readonly memory: Memory; readonly index: number }, pdu: string): Promise<Deletion>
  /** For what lies nowhere else. */
  acknowledge(): Promise<boolean>
}
