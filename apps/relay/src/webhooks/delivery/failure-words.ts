import { TooLate } from './exchange.ts'

export class ForbiddenAddress extends Error {
  constructor(host: string, address: string | undefined) {
    super(
      address === undefined
        ? `${host} has no address`
        : `${host} leads to ${address}, which is not public: only the operator can allow it (WEBHOOK_ALLOW_CIDRS)`,
    )
  }
}

/** Why a receiver could not be called, for the owner of the webhook. */
export function failureWords(error: Error, limits: { readonly connectMs: number; readonly totalMs: number }): string {
  if (error instanceof ForbiddenAddress) return error.message
  if (error instanceof TooLate)
    return `no ${error.phase} within ${(error.phase === 'answer' ? limits.totalMs : limits.connectMs) / 1000} s`
  const code = codeOf(error)
  const words = WORDS[code]
  if (words !== undefined) return words
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return `no connection within ${limits.connectMs / 1000} s`
  if (isCutConnection(error)) return 'the connection was cut before an answer came'
  if (error.name === 'HTTPParserError') return 'what it answered is not HTTP'
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) return `its certificate is not trusted (${code})`
  if (/SSL|TLS/.test(code)) return `it does not speak TLS as it should (${code})`
  return `it could not be called (${code || error.name})`
}

/** By the other side, or by something on the way to it. */
export function isCutConnection(error: Error): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error))
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name cannot be looked up',
  ENODATA: 'the name has no address',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  ETIMEDOUT: 'the connection got no answer',
  UND_ERR_HEADERS_OVERFLOW: 'the head of its answer is too long',
}

/** Of several addresses that were tried the first one's. */
function codeOf(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : []
  const { code = '' } = (first ?? error) as NodeJS.ErrnoException
  return code
}
