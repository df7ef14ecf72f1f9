import { sentence } from '../words/sentence.ts'
import { locale, type TextKey, t } from '../words/text.ts'

/** The reasons for which a request of a webhook failed, as the API describes them. */
const reasons: readonly (readonly [RegExp, TextKey])[] = [
  [/^connection refused$/, 'attemptError.refused'],
  [/^host name not found$/, 'attemptError.notFound'],
  [/^host name lookup failed$/, 'attemptError.lookup'],
  [/ has no address$/, 'attemptError.noAddress'],
  [/^no route to /, 'attemptError.noRoute'],
  [/^no connection within |^connection timed out$/, 'attemptError.noConnection'],
  [/^no answer within /, 'attemptError.noAnswer'],
  [/^connection closed before /, 'attemptError.closed'],
  [/^the response is not valid HTTP$/, 'attemptError.notHttp'],
  [/^the certificate is not trusted \((.+)\)$/, 'attemptError.certificate'],
  [/^TLS handshake failed \((.+)\)$/, 'attemptError.tls'],
  [/ resolves to (\S+), which is not public/, 'attemptError.notPublic'],
  [/^request failed \((.+)\)$/, 'attemptError.failed'],
]

/**
 * Why an attempt failed, in the language of the page. English pages show the text of the API, which contains the time
 * limits. So do other pages if a newer relay gives a reason that the catalogue does not have yet.
 */
export function attemptErrorWords(error: string): string {
  if (locale().language === 'en') return sentence(error)
  for (const [pattern, key] of reasons) {
    const found = pattern.exec(error)
    if (found) return t(key, { value: found[1] ?? '' })
  }
  return error
}
