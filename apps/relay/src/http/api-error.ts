/** What went wrong with one member of a request. */
export interface FieldError {
  /** As in `phoneNumbers[2]`. */
  readonly path: string
  readonly message: string
}

/**
 * The one error of the relay: its status, and a message for the caller that says what is wrong and what to do. It never
 * holds a secret, a stack or SQL; what the operator needs is the cause.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly errors: readonly FieldError[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    message: string,
    more: {
      readonly errors?: readonly FieldError[]
      readonly headers?: Readonly<Record<string, string>>
      readonly cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.status = status
    this.errors = more.errors
    this.headers = more.headers ?? {}
  }
}
