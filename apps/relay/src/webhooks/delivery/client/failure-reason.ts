import { TimedOut } from './exchange.ts'

export class ForbiddenAddress extends Error {
  constructor(host: string, address: string | undefined) {
    super(
      address === undefined
        ? `${host} has no address`
        : `${host} resolves to ${address}, which is not public: only the operator can allow it (WEBHOOK_ALLOW_CIDRS)`,
    )
  }
}

/** Describes why a request failed, for the owner of the webhook. */
export function failureReason(error: Error, limits: { readonly connectMs: number; readonly totalMs: number }): string {
  if (error instanceof ForbiddenAddress) return error.message
  if (error instanceof TimedOut)
    return `no ${error.phase} within ${(error.phase === 'answer' ? limits.totalMs : limits.connectMs) / 1000} s`
  const code = codeOf(error)
  const words = REASONS[code]
  if (words !== undefined) return words
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return `no connection within ${limits.connectMs / 1000} s`
  if (isCutConnection(error)) return 'connection closed before a response arrived'
  if (error.name === 'HTTPParserError') return 'the response is not valid HTTP'
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) return `the certificate is not trusted (${code})`
  if (/SSL|TLS/.test(code)) return `TLS handshake failed (${code})`
  return `request failed (${code || error.name})`
}

/** Returns true if the receiver, or a network device on the way to it, closed the connection. */
export function isCutConnection(error: Error): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error))
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name lookup failed',
  ENODATA: 'the host name has no address',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too long',
}

/** Returns the code of the error, or of the first error if several addresses were tried. */
function codeOf(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : []
  const { code = '' } = (first ?? error) as NodeJS.ErrnoException
  return code
}
