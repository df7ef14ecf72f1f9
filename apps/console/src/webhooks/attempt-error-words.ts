import { sentence } from '../words/sentence.ts'
import { locale, type TextKey, t } from '../words/text.ts'

/**
 * The reasons for which a request of a webhook failed, a delivery was dropped or a webhook was disabled, as the API
 * describes them.
 */
const reasons: readonly (readonly [RegExp, TextKey])[] = [
  // First, because it contains the reason of the last attempt, which a later pattern would match.
  [/^every attempt for five days failed, the last one with: ([\s\S]+)$/, 'attemptError.fiveDays'],
  [/^connection refused$/, 'attemptError.refused'],
  [/^host name not found$/, 'attemptError.notFound'],
  [/^host name lookup failed$/, 'attemptError.lookup'],
  [/ has no address$/, 'attemptError.noAddress'],
  [/^no route to /, 'attemptError.noRoute'],
  [/^no connection within |^connection timed out$/, 'attemptError.noConnection'],
  [/^no answer within /, 'attemptError.noAnswer'],
  [/^connection closed before /, 'attemptError.closed'],
  [/^the response headers are too long$/, 'attemptError.headers'],
  [/^the response is not valid HTTP$/, 'attemptError.notHttp'],
  [/^the certificate is not trusted \((.+)\)$/, 'attemptError.certificate'],
  [/^TLS handshake failed \((.+)\)$/, 'attemptError.tls'],
  [/ resolves to (\S+), which is not public/, 'attemptError.notPublic'],
  [/^request failed \((.+)\)$/, 'attemptError.failed'],
  [/^internal error of the relay/, 'attemptError.internal'],
  [/^the webhook was disabled$/, 'attemptError.disabled'],
  [/^the receiver answered 410 Gone$/, 'attemptError.gone'],
  [/^[^:]{1,200} a token that may not read this event \(scope required: ([^()]+)\)$/, 'attemptError.unreadable'],
]

/**
 * Why an attempt failed or a webhook was disabled, in the language of the page. English pages show the text of the API,
 * which contains the time limits. Pages in other languages also show it if a newer relay gives a reason that is not in
 * the catalogue yet.
 */
export function attemptErrorWords(error: string): string {
  if (locale().language === 'en') return sentence(error)
  for (const [pattern, key] of reasons) {
    const found = pattern.exec(error)
    // The reason of a disabled webhook contains the reason of the last attempt.
    const [, value = ''] = found ?? []
    if (found) return t(key, { value: key === 'attemptError.fiveDays' ? attemptErrorWords(value) : value })
  }
  return error
}
