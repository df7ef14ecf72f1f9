import type { FastifyRequest } from 'fastify'
import type { Caller } from './caller.ts'

/**
 * Whether a request that changes something may have been sent by a page of somebody else: a browser names the origin of
 * the page in every one of them. Undefined: it is our own page, or nothing is changed.
 */
export function foreignPageOf(request: FastifyRequest): Caller['foreignPage'] {
  if (SAFE_METHODS.has(request.method)) return undefined
  const { origin } = request.headers
  if (origin === undefined) return 'no origin'
  return isOwnOrigin(origin, request) ? undefined : 'other origin'
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Behind a proxy that ends TLS and is not trusted we are called by plain HTTP: there the host alone must agree. */
function isOwnOrigin(origin: string, { protocol, host }: FastifyRequest): boolean {
  if (!URL.canParse(origin)) return false
  const page = new URL(origin)
  const own = `${page.protocol}//${host}`
  if (page.protocol !== 'https:' && (page.protocol !== 'http:' || protocol === 'https')) return false
  return URL.canParse(own) && new URL(own).host === page.host
}
