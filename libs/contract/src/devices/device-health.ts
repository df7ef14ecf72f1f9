import { type Health, type HealthCheck, healthOf } from '../relay/health.ts'

/** The values from which the health of a device is computed. */
export interface DeviceFacts {
  readonly version: string
  /** The state of each SIM, with the values of the API. */
  readonly simStates: readonly string[]
  readonly queue: { readonly waiting: number; readonly inDoubt: number }
  readonly journal: { readonly sizeBytes: number; readonly fsyncMs: number }
  /** The disk of the journal; undefined if it cannot be read. */
  readonly disk: DiskFacts | undefined
}

export interface DiskFacts {
  readonly status: HealthCheck['status']
  readonly freeBytes: number
}

/** Returns the health of a device for `system:ping`. */
export function deviceHealth({ version, simStates, queue, journal, disk }: DeviceFacts): Health {
  const ready = simStates.filter((state) => state === 'ready').length
  const simStatus = ready === 0 ? 'fail' : ready < simStates.length ? 'warn' : 'pass'
  return healthOf(version, {
    'sims:ready': check(
      simStatus,
      `SIMs that are ready to send; SIMs in the device: ${simStates.length}`,
      ready,
      'SIMs',
    ),
    'messages:waiting': check('pass', 'messages that wait to be sent', queue.waiting, 'messages'),
    'messages:in-doubt': check(
      queue.inDoubt > 0 ? 'warn' : 'pass',
      'messages whose outcome is unknown',
      queue.inDoubt,
      'messages',
    ),
    'journal:size': check('pass', 'size of the journal', journal.sizeBytes / 2 ** 20, 'MiB'),
    'journal:fsync': check('pass', 'how long one write to the disk takes', journal.fsyncMs, 'ms'),
    ...(disk && { 'journal:disk': check(disk.status, 'free space of the disk', disk.freeBytes / 2 ** 20, 'MiB') }),
  })
}

function check(status: HealthCheck['status'], description: string, value: number, observedUnit: string): HealthCheck {
  return { status, description, observedValue: Math.min(Math.round(value), 2 ** 31 - 1), observedUnit }
}
