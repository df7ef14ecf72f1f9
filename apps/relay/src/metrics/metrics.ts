import { droppedLogLines } from '@smsgw/daemon/terminal/output'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Route } from '../http/route.ts'

export interface Metrics {
  /**
   * Features register their metrics here, under names that begin with `smsgw_`. Labels must not contain phone numbers,
   * names or ids.
   */
  readonly registry: Registry
  readonly observe: (route: Route, status: number, seconds: number) => void
}

const PREFIX = 'smsgw_'

/**
 * Gauges of the library with a name that Prometheus reserves for counters. Each is the sum of another gauge, for
 * example `nodejs_active_handles`.
 */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/**
 * Creates a registry with metrics of the process and of HTTP requests. Each relay in a process has its own registry.
 */
export function openMetrics(): Metrics {
  const registry = new Registry()
  // Each sample of the event loop wakes the process. With the default of 10 ms, the samples took much of the CPU time
  // of an idle gateway.
  collectDefaultMetrics({ register: registry, prefix: PREFIX, eventLoopMonitoringPrecision: 100 })
  for (const name of MISNAMED) registry.removeSingleMetric(`${PREFIX}${name}`)
  const duration = new Histogram({
    name: 'smsgw_http_request_duration_seconds',
    help: 'Duration from the request headers to the response, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers: [registry],
  })
  new Counter({
    name: 'smsgw_log_lines_dropped_total',
    help: 'Log lines that could not be written, for example on a full disk',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(droppedLogLines())
    },
  })
  return {
    registry,
    observe({ method, path }, status, seconds) {
      duration.observe({ method, route: path, status }, seconds)
    },
  }
}
