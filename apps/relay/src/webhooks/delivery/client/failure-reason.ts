import type { DeliveryProblemCode } from '@smsgw/contract/webhooks/delivery-problem'
import { deliveryProblemText } from '../../delivery-problem.ts'
import { TimedOut } from './exchange.ts'

export class ForbiddenAddress extends Error {
  constructor(host: string, address: string | undefined) {
    super(
      address === undefined
        ? deliveryProblemText('host_without_address')
        : deliveryProblemText('address_not_public', { host, address }),
    )
  }
}

/** Describes why a request failed, for the owner of the webhook. */
export function failureReason(error: Error, limits: { readonly connectMs: number; readonly totalMs: number }): string {
  if (error instanceof ForbiddenAddress) return error.message
  if (error instanceof TimedOut && error.phase === 'answer')
    return deliveryProblemText('no_answer_in_time', { seconds: limits.totalMs / 1000 })
  const code = codeOf(error)
  if (error instanceof TimedOut || code === 'UND_ERR_CONNECT_TIMEOUT')
    return deliveryProblemText('no_connection_in_time', { seconds: limits.connectMs / 1000 })
  const known = PROBLEMS[code]
  if (known !== undefined) return deliveryProblemText(known)
  if (isCutConnection(error)) return deliveryProblemText('connection_closed')
  if (error.name === 'HTTPParserError') return deliveryProblemText('invalid_http')
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code))
    return deliveryProblemText('certificate_not_trusted', { error: code })
  if (/SSL|TLS/.test(code)) return deliveryProblemText('tls_failed', { error: code })
  return deliveryProblemText('request_failed', { error: code || error.name })
}

/** Returns true if the receiver, or a network device on the way to it, closed the connection. */
export function isCutConnection(error: Error): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error))
}

const PROBLEMS: Readonly<Record<string, DeliveryProblemCode>> = {
  ECONNREFUSED: 'connection_refused',
  ENOTFOUND: 'host_not_found',
  EAI_AGAIN: 'host_lookup_failed',
  ENODATA: 'host_without_address',
  EHOSTUNREACH: 'no_route',
  ENETUNREACH: 'no_route',
  ETIMEDOUT: 'connection_timed_out',
  UND_ERR_HEADERS_OVERFLOW: 'headers_too_long',
}

/** Returns the code of the error, or of the first error if several addresses were tried. */
function codeOf(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : []
  const { code = '' } = (first ?? error) as NodeJS.ErrnoException
  return code
}
