import type { ReasonValues } from '@smsgw/contract/fields/problem-reason'
import { type DeliveryProblemCode, deliveryProblemCodes } from '@smsgw/contract/webhooks/delivery-problem'

/**
 * The English texts of the problems. The database stores only these texts, and the codes of the API are read from them
 * with the same templates. So a text that is changed here loses its code in the deliveries that are already stored.
 */
const texts = {
  connection_refused: 'connection refused',
  connection_timed_out: 'connection timed out',
  connection_closed: 'connection closed before a response arrived',
  no_connection_in_time: 'no connection within {seconds} s',
  no_answer_in_time: 'no answer within {seconds} s',
  no_route: 'no route to the host',
  host_not_found: 'host name not found',
  host_lookup_failed: 'host name lookup failed',
  host_without_address: 'the host name has no address',
  address_not_public:
    '{host} resolves to {address}, which is not public: only the operator can allow it (WEBHOOK_ALLOW_CIDRS)',
  url_not_allowed: 'the URL is not allowed: it {problem}',
  certificate_not_trusted: 'the certificate is not trusted ({error})',
  tls_failed: 'TLS handshake failed ({error})',
  request_failed: 'request failed ({error})',
  invalid_http: 'the response is not valid HTTP',
  headers_too_long: 'the response headers are too long',
  reply_incomplete: 'the answer was cut off, or has more than {kib} KiB',
  reply_limit:
    'reply to a received message not sent: {limit} replies were sent to this number within an hour, which is the limit',
  internal_error: 'internal error of the relay: see its log',
  webhook_disabled: 'the webhook was disabled',
  url_changed:
    'the URL of the webhook was changed with a token that may not read this event (scope required: {scopes})',
  gone: 'the receiver answered 410 Gone',
  failing_for_five_days: 'every attempt for five days failed, the last one with: {lastError}',
} as const satisfies Readonly<Record<DeliveryProblemCode, string>>

/** Returns the text of a problem, as it is stored and shown to the owner of the webhook. */
export function deliveryProblemText(code: DeliveryProblemCode, values: ReasonValues = {}): string {
  return texts[code].replace(PLACEHOLDER, (_, name: string) => String(values[name]))
}

interface DeliveryProblem {
  readonly code: DeliveryProblemCode
  readonly values?: ReasonValues
}

/**
 * Returns the code and the values of a stored text, or undefined for texts without a code, such as `HTTP 500`. If a
 * value is itself the text of a problem, its code and values are added.
 */
export function readDeliveryProblem(text: string): DeliveryProblem | undefined {
  for (const [code, pattern] of patterns) {
    const found = pattern.exec(text)
    if (found === null) continue
    const values = Object.entries(found.groups ?? {}).map(([name, value]) => [name, typed(name, value)] as const)
    return values.length === 0 ? { code } : { code, values: withLastError(Object.fromEntries(values)) }
  }
  return undefined
}

/** The members of the API that describe why an attempt failed. */
export function attemptError(error: string) {
  const { code, values } = readDeliveryProblem(error) ?? {}
  return { error, ...(code && { errorCode: code }), ...(values && { errorValues: values }) }
}

function withLastError(values: ReasonValues): ReasonValues {
  const last = values['lastError'] === undefined ? undefined : readDeliveryProblem(String(values['lastError']))
  return last === undefined ? values : { ...values, lastErrorCode: last.code, ...last.values }
}

const PLACEHOLDER = /\{(\w+)\}/g
const numbers: readonly string[] = ['seconds', 'kib', 'limit']
/** Values with spaces; the others are single words. */
const sentences: readonly string[] = ['problem', 'scopes', 'lastError']

function typed(name: string, value: string): string | number {
  return numbers.includes(name) ? Number(value) : value
}

const patterns = deliveryProblemCodes.map((code) => {
  const escaped = texts[code].replace(/[().+?]/g, String.raw`\$&`)
  const source = escaped.replace(PLACEHOLDER, (_, name: string) => `(?<${name}>${patternOf(name)})`)
  return [code, new RegExp(`^${source}$`)] as const
})

function patternOf(name: string): string {
  if (numbers.includes(name)) return String.raw`\d+(?:\.\d+)?`
  return sentences.includes(name) ? String.raw`[\s\S]+` : String.raw`\S+`
}
