import type { FastifyRequest } from 'fastify'
import { readSessionCookie } from '../auth/sessions/session-cookie.ts'

/**
 * Whether a script of a page asks, and not a person or a program. To a challenge for Basic authentication a browser would
 * open a window of its own, over the page that knows better. Over plain HTTP it does not say what a request is for: there
 * the page's own header, or its cookie, tells.
 */
export function isFromPage({ headers, url, protocol }: FastifyRequest): boolean {
  const mode = headers['sec-fetch-mode']
  if (mode !== undefined) return mode !== 'navigate'
  if (
    headers['x-requested-with'] !== undefined ||
    readSessionCookie(headers.cookie, protocol === 'https') !== undefined
  )
    return true
  return /\/session\/?(\?|$)/.test(url)
}
