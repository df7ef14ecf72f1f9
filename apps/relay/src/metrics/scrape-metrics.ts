import { createHash, timingSafeEqual } from 'node:crypto'
import type { Registry } from 'prom-client'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'

/** Serves metrics to Prometheus. Without a token the endpoint is public and has a separate port. */
export function scrapeMetrics(registry: Registry, token?: string): Endpoint {
  return endpoint({
    answers: { 200: z.string().meta({ description: 'The text format of Prometheus' }) },
    errors: token === undefined ? [] : [401],
    mediaType: registry.contentType,
    bearerSetting: token === undefined ? undefined : 'METRICS_TOKEN',
    async handle({ headers }) {
      if (token !== undefined && !isSame(headers['authorization'], `Bearer ${token}`))
        throw new ApiError(401, 'Send METRICS_TOKEN as bearer token in the header Authorization', {
          headers: { 'www-authenticate': 'Bearer' },
        })
      return { status: 200, body: await registry.metrics() }
    },
  })
}

/** Compares two secrets in constant time. */
function isSame(given: string | undefined, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given ?? ''), digest(wanted))
}
