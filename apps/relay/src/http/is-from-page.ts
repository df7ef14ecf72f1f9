import type { FastifyRequest } from 'fastify'
import { readSessionCookie } from '../auth/sessions/session-cookie.ts'

/**
 * Returns whether a script of a page sent the request. Browsers answer a Basic challenge with a login dialog over the page,
 * so such requests get another challenge. Over plain HTTP browsers send no `Sec-Fetch-*` headers; the page's own header or
 * its cookie is used instead.
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
