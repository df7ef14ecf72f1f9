import type { KeyRefusal } from '@smsgw/contract/access/api-key'

/** A problem in one member of a request. */
export interface FieldError {
  /** The path of the member, for example `phoneNumbers[2]`. */
  readonly path: string
  readonly message: string
}

/**
 * An error answer. Its message says what is wrong and what the caller can do, and never contains a secret, a stack or
 * SQL. The cause is for the operator's log.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly errors: readonly FieldError[] | undefined
  readonly headers: Readonly<Record<string, string>>
  /** A stable code; set if a limit of an API key is the reason for the refusal. */
  readonly reason: KeyRefusal | undefined

  constructor(
    status: number,
    message: string,
    more: {
      readonly errors?: readonly FieldError[]
      readonly headers?: Readonly<Record<string, string>>
      readonly reason?: KeyRefusal
      readonly cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.status = status
    this.errors = more.errors
    this.headers = more.headers ?? {}
    this.reason = more.reason
  }
}
