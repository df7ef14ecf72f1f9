import { SESSION_COOKIE } from '@smsgw/contract/session'

/** What a browser's `Cookie` header holds of us. */
export function readSessionCookie(header: string | undefined, isSecure: boolean): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [name = '', value = ''] = pair.trim().split('=', 2)
    if (name === nameOf(isSecure) && TOKEN.test(value)) return value
  }
  return undefined
}

/** 256 bits in base64url: nothing else was ever given out, and nothing else is looked for. */
const TOKEN = /^[\w-]{43}$/

/** No script can read it, and no page of others makes a browser send it. */
export function sessionCookie(token: string, { maxAgeSeconds, isSecure }: CookieOptions): string {
  const secure = isSecure ? '; Secure' : ''
  return `${nameOf(isSecure)}=${token}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`
}

interface CookieOptions {
  readonly maxAgeSeconds: number
  readonly isSecure: boolean
}

/**
 * Over TLS a name that browsers take from the very host alone: a neighbour below the same domain could else give its
 * visitors a cookie for ours, and have them work in an account of its own.
 */
function nameOf(isSecure: boolean): string {
  return isSecure ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE
}
