/** Octets that are not what the standard says. */
export class PduDecodeError extends Error {
  override readonly name = 'PduDecodeError'
  /** The field as 23.040 names it: `TP-OA`, `TP-UD`, `SCA`. */
  readonly field: string
  /** Octet offset in the input given to the outermost decoder. */
  readonly offset: number
  readonly reason: string

  constructor(field: string, offset: number, reason: string) {
    super(`${field} at octet ${offset}: ${reason}`)
    this.field = field
    this.offset = offset
    this.reason = reason
  }
}

/** A value that cannot be put into a PDU. */
export class PduEncodeError extends Error {
  override readonly name: string = 'PduEncodeError'
  readonly field: string
  readonly reason: string

  constructor(field: string, reason: string) {
    super(`${field}: ${reason}`)
    this.field = field
    this.reason = reason
  }
}
