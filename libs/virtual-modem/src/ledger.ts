/**
 * A SUBMIT that the service centre has taken. Given out before the modem answers `+CMGS:`, so that whoever writes it
 * down and syncs has the truth on disk before the sender can know: no message is in doubt that is not in the ledger.
 */
export interface LedgerEntry {
  /** 1, 2, 3 … for one network. */
  readonly sequence: number
  readonly epochMs: number
  /** IMEI. */
  readonly modem: string
  readonly imsi: string
  /** TP-MR as sent, 0 to 255. */
  readonly messageReference: number
  /** The TPDU in hexadecimal, without a service centre address. */
  readonly pdu: string
  /** `+447700900123`, or the digits as dialled. */
  readonly destination: string
  /** What a phone would show; absent for data and for text that cannot be read. */
  readonly text?: string
  /** User data without its header in hexadecimal, for 8-bit and compressed messages. */
  readonly data?: string
  readonly part?: { readonly reference: number; readonly total: number; readonly sequence: number }
}
