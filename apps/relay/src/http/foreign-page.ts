import type { FastifyRequest } from 'fastify'
import type { Caller } from './caller.ts'

/** The methods that may change data on a route: the unsafe methods of HTTP, or any method, even GET. */
export type ChangingMethods = 'unsafe methods' | 'any method'

/**
 * Returns why a page on another site may have sent a request that changes something, or undefined for our own pages and
 * for requests that change nothing. Browsers send the origin of the page, or at least whether it belongs to this site.
 */
export function foreignPageOf(
  request: FastifyRequest,
  changing: ChangingMethods = 'unsafe methods',
): Caller['foreignPage'] {
  if (changing === 'unsafe methods' && SAFE_METHODS.has(request.method)) return undefined
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined && !OWN_SITES.has(site)) return 'other origin'
  if (origin === undefined) return 'no origin'
  return isOwnOrigin(origin, request) ? undefined : 'other origin'
}

/**
 * `none` means that a person caused the request without a page. Every other value, even a repeated or a future value,
 * means a foreign page.
 */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none'])
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Over plain HTTP, only the host must be equal, because a proxy that is not trusted may terminate TLS. */
function isOwnOrigin(origin: string, { protocol, host }: FastifyRequest): boolean {
  if (!URL.canParse(origin)) return false
  const page = new URL(origin)
  const own = `${page.protocol}//${host}`
  if (page.protocol !== 'https:' && (page.protocol !== 'http:' || protocol === 'https')) return false
  return URL.canParse(own) && new URL(own).host === page.host
}
