import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { HealthCheck } from '@smsgw/contract/relay/health'
import { readDatabaseMs } from '../store/clock/read-clock-statement.ts'
import type { Database } from '../store/database.ts'

/** The probes check whether the process is alive, whether it accepts requests, and whether its start is complete. */
export type Probe = 'live' | 'ready' | 'startup'

/** A component with a health check. */
export interface HealthSource {
  /** `<component>:<name>`, as in `database:connect`. */
  readonly name: string
  readonly probes: readonly Probe[]
  check(): HealthCheck | Promise<HealthCheck>
}

/** Checks whether the database answers, and how fast. */
export function databaseHealth(database: Database): HealthSource {
  return {
    name: 'database:ping',
    probes: ['ready', 'startup'],
    async check() {
      const started = performance.now()
      try {
        await readDatabaseMs(database)
      } catch {
        return { status: 'fail', description: 'database unavailable', observedValue: 0, observedUnit: 'ms' }
      }
      return pass('response time of a query', performance.now() - started, 'ms')
    },
  }
}

/** Fails from the start of a shutdown, so that load balancers send no more requests. */
export function drainHealth(isDraining: () => boolean): HealthSource {
  return {
    name: 'server:accepting',
    probes: ['ready'],
    check: () =>
      isDraining()
        ? { status: 'fail', description: 'shutting down', observedValue: 0, observedUnit: 'boolean' }
        : pass('accepting requests', 1, 'boolean'),
  }
}

/** Requests time out when the event loop is delayed for this long. */
const LAGGING_MS = 1_000
const STUCK_MS = 10_000
/** Each sample wakes the process. Sampling 50 times a second took a third of the CPU time of an idle gateway. */
const LOOP_SAMPLE_MS = 250

/** The measurements of this process, in nanoseconds and microseconds. */
interface ProcessMeasurements {
  readonly delay: { readonly max: number; reset(): void }
  readonly cpuUsage: () => NodeJS.CpuUsage
}

/** Checks only the process, not the database or anything else that a restart does not fix. */
export function processHealth({ delay, cpuUsage }: ProcessMeasurements = measured()): HealthSource[] {
  const cpuMs = () => (cpuUsage().user + cpuUsage().system) / 1e3
  let cpuBeforeMs = cpuMs()
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
        // A sample is the time since the sample before it, so it contains the interval.
        const worstMs = Math.max(0, delay.max / 1e6 - LOOP_SAMPLE_MS)
        delay.reset()
        const usedMs = cpuMs() - cpuBeforeMs
        cpuBeforeMs += usedMs
        // A process that was stopped, for example with its virtual machine, used no CPU time and needs no restart.
        const isStuck = worstMs > STUCK_MS && usedMs > worstMs / 2
        const status = isStuck ? 'fail' : worstMs > LAGGING_MS ? 'warn' : 'pass'
        return { ...pass('longest delay of the event loop since the last check', worstMs, 'ms'), status }
      },
    },
  ]
}

function measured(): ProcessMeasurements {
  const delay = monitorEventLoopDelay({ resolution: LOOP_SAMPLE_MS })
  delay.enable()
  return { delay, cpuUsage: () => process.cpuUsage() }
}

function pass(description: string, value: number, observedUnit: string): HealthCheck {
  return { status: 'pass', description, observedValue: Math.round(value), observedUnit }
}
