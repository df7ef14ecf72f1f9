import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { HealthCheck } from '@smsgw/contract/health'
import type { HealthSource } from './health-check.ts'

/** With such a delay of the event loop requests time out. */
const LAGGING_MS = 1_000
const STUCK_MS = 10_000

/** Checks the process only, not the database or anything else that a restart does not fix. */
export function processHealth(): HealthSource[] {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  return [
    {
      name: 'process:uptime',
      probes: ['live', 'ready', 'startup'],
      check: () => pass('uptime', process.uptime(), 's'),
    },
    {
      name: 'process:memory',
      probes: ['live'],
      check: () => pass('resident', process.memoryUsage.rss() / 2 ** 20, 'MiB'),
    },
    {
      name: 'process:loop-delay',
      probes: ['live'],
      check: () => {
        const worstMs = delay.max / 1e6
        delay.reset()
        const status = worstMs > STUCK_MS ? 'fail' : worstMs > LAGGING_MS ? 'warn' : 'pass'
        return { ...pass('longest delay of the event loop since the last check', worstMs, 'ms'), status }
      },
    },
  ]
}

function pass(description: string, value: number, observedUnit: string): HealthCheck {
  return { status: 'pass', description, observedValue: Math.round(value), observedUnit }
}
