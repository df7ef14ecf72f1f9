/** Thrown when octets do not follow the standard. */
export class PduDecodeError extends Error {
  override readonly name = 'PduDecodeError'
  /** The name of the field in 23.040, such as `TP-OA`, `TP-UD` or `SCA`. */
  readonly field: string
  /** Octet offset in the input of the outermost decoder. */
  readonly offset: number
  readonly reason: string

  constructor(field: string, offset: number, reason: string) {
    super(`${field} at octet ${offset}: ${reason}`)
    this.field = field
    this.offset = offset
    this.reason = reason
  }
}

/** Thrown when a value cannot be encoded in a PDU. */
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
