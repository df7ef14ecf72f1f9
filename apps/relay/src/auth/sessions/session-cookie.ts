import { SESSION_COOKIE } from '@smsgw/contract/access/session'

/** Returns the session token in a `Cookie` header, or undefined when it contains none. */
export function readSessionCookie(header: string | undefined, isSecure: boolean): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [name = '', value = ''] = pair.trim().split('=', 2)
    if (name === nameOf(isSecure) && TOKEN.test(value)) return value
  }
  return undefined
}

/** 256 bits in base64url, the only form of the tokens that the relay issues. */
const TOKEN = /^[\w-]{43}$/

/**
 * Returns a `Set-Cookie` value for a cookie that scripts cannot read and that browsers send only from our own pages.
 */
export function sessionCookie(token: string, { maxAgeSeconds, isSecure }: CookieOptions): string {
  const secure = isSecure ? '; Secure' : ''
  return `${nameOf(isSecure)}=${token}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`
}

interface CookieOptions {
  readonly maxAgeSeconds: number
  readonly isSecure: boolean
}

/**
 * Over TLS the name has a prefix that browsers accept only from this host. Without the prefix, an attacker on another
 * host of the same domain could set our cookie, so that visitors would work in the attacker's account.
 */
function nameOf(isSecure: boolean): string {
  return isSecure ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE
}
