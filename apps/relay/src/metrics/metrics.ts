import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Route } from '../http/route.ts'

export interface Metrics {
  /** Others add theirs here, named `smsgw_…`; never a number, name or id in a label. */
  readonly registry: Registry
  readonly observe: (route: Route, status: number, seconds: number) => void
}

/** Process and requests. A registry of its own: two relays in one process count apart. */
export function openMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'smsgw_' })
  const duration = new Histogram({
    name: 'smsgw_http_request_duration_seconds',
    help: 'From the whole head of a request to its answer, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers: [registry],
  })
  return {
    registry,
    observe({ method, path }, status, seconds) {
      duration.observe({ method, route: path, status }, seconds)
    },
  }
}
