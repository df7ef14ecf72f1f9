import type { KeyRefusal } from '@smsgw/contract/access/api-key'
import type { FieldReason, ReasonValues, RequestReason } from '@smsgw/contract/fields/problem-reason'

/** What is wrong with a value, as the end of a sentence that begins with the name of the value. */
export interface ValueProblem {
  /** Default: `invalid`, which says no more than the message. */
  readonly reason?: FieldReason
  readonly values?: ReasonValues
  readonly message: string
}

/** A problem in one member of a request. */
export interface FieldError extends ValueProblem {
  /** The path of the member, for example `phoneNumbers[2]`. */
  readonly path: string
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
  /** A stable code, if it says more than the status. */
  readonly reason: KeyRefusal | RequestReason | undefined
  readonly values: ReasonValues | undefined

  constructor(
    status: number,
    message: string,
    more: {
      readonly errors?: readonly FieldError[]
      readonly headers?: Readonly<Record<string, string>>
      readonly reason?: KeyRefusal | RequestReason
      readonly values?: ReasonValues
      readonly cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.status = status
    this.errors = more.errors
    this.headers = more.headers ?? {}
    this.reason = more.reason
    this.values = more.values
  }
}
