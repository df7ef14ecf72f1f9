/**
 * A SUBMIT that the service centre has accepted. Emitted before the modem answers `+CMGS:`, so that the entry is on
 * disk before the sender receives the result.
 */
export interface LedgerEntry {
  /** The number of the entry, counted from 1 in each network. */
  readonly sequence: number
  readonly epochMs: number
  /** IMEI. */
  readonly modem: string
  readonly imsi: string
  /** The TP-MR in the SUBMIT, 0 to 255. */
  readonly messageReference: number
  /** The TPDU in hexadecimal, without a service centre address. */
  readonly pdu: string
  /** `+447700900123`, or the digits as dialled. */
  readonly destination: string
  /** The text that a phone would show; absent for data and for text that cannot be decoded. */
  readonly text?: string
  /** User data without header in hexadecimal, for 8-bit and compressed messages. */
  readonly data?: string
  readonly part?: { readonly reference: number; readonly total: number; readonly sequence: number }
}
