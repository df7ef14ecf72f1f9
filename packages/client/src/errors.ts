import type { Problem } from './openapi.ts'

/** One invalid member of a request: its path, such as `phoneNumbers[2]`, and its problem. */
export interface FieldError {
  readonly path: string
  readonly message: string
}

/** The base of all errors of this package. */
export class SmsGatewayError extends Error {
  override readonly name: string = 'SmsGatewayError'
}

/** The gateway could not be reached, or the connection ended before the answer was complete. */
export class ConnectionError extends SmsGatewayError {
  override readonly name = 'ConnectionError'
}

/** No answer arrived in time, or a message did not end in time. */
export class TimeoutError extends SmsGatewayError {
  override readonly name = 'TimeoutError'
}

/** The gateway answered with an error. */
export class ApiError extends SmsGatewayError {
  override readonly name: string = 'ApiError'
  /** The HTTP status. */
  readonly status: number
  /** The errors of each member of the request; empty if the error is not about a member. */
  readonly errors: readonly FieldError[]
  /** The id of the request. Include it in support requests. */
  readonly requestId: string | undefined
  /** The `type` of the problem; `about:blank` if the error has no type besides its HTTP status. */
  readonly type: string | undefined
  /** The number of seconds after which the request may be repeated, from `Retry-After`. */
  readonly retryAfterSeconds: number | undefined
  /** The body of the answer, if the error is from the gateway and not from a proxy. */
  readonly problem: Problem | undefined

  constructor({ status, message, problem, requestId, retryAfterSeconds }: ApiErrorInit) {
    super(message)
    this.status = status
    this.problem = problem
    this.errors = problem?.errors ?? []
    this.type = problem?.type
    this.requestId = problem?.requestId ?? requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** 400, 413, 415 or 422: the request is wrong. `errors` names the members. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError'
}

/** 401: the password, token or API key is missing, wrong, expired or revoked. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}

/** 403: the credentials do not allow this request. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError'
}

/** 404: the requested object does not exist in this account. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/** 409: the current state does not allow this request, for example because the id is in use. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError'
}

/** 429: too many requests. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
}

/** 500 or higher: the gateway, or a proxy in front of it, cannot answer now. */
export class UnavailableError extends ApiError {
  override readonly name = 'UnavailableError'
}

export interface ApiErrorInit {
  readonly status: number
  readonly message: string
  readonly problem?: Problem | undefined
  readonly requestId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Returns the error for an answer. `body` is the parsed answer, or undefined if it is not JSON. */
export function errorOf(status: number, body: unknown, headers: Headers): ApiError {
  const problem = isProblem(body) ? body : undefined
  const init: ApiErrorInit = {
    status,
    message: problem?.message ?? `the server answered with status ${status}`,
    problem,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: secondsOf(headers.get('retry-after')),
  }
  if (status >= 500) return new UnavailableError(init)
  const Kind = KINDS[status] ?? ApiError
  return new Kind(init)
}

/** Returns the seconds of a `Retry-After` header, which is a number or a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string'
}

const KINDS: Readonly<Record<number, new (init: ApiErrorInit) => ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitError,
}
