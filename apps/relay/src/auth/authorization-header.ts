/** Credentials of an `Authorization` header. */
export type HeaderCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string }
  /** Credentials of an unknown scheme, or malformed credentials. */
  | { readonly kind: 'unreadable' }

export function readAuthorization(header: string | undefined): HeaderCredentials {
  const text = header?.trim() ?? ''
  if (text === '') return { kind: 'none' }
  const [, scheme = '', rest = ''] = /^([^ \t]+)[ \t]*(.*)$/.exec(text) ?? []
  const value = rest.trim()
  if (/^bearer$/i.test(scheme) && TOKEN_68.test(value)) return { kind: 'bearer', token: value }
  const pair = /^basic$/i.test(scheme) && TOKEN_68.test(value) ? basicPair(value) : undefined
  return pair ? { kind: 'basic', ...pair } : { kind: 'unreadable' }
}

/** RFC 9110 §11.2 */
const TOKEN_68 = /^[A-Za-z0-9._~+/-]+=*$/

/**
 * Decodes a username and password (RFC 7617). The first colon ends the username. The challenge of the relay requires
 * UTF-8.
 */
function basicPair(value: string): { readonly username: string; readonly password: string } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'base64'))
    const colon = text.indexOf(':')
    return colon === -1 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) }
  } catch {
    return undefined // the text is not UTF-8
  }
}
