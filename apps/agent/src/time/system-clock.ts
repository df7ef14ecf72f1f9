import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { childEnvironment } from '@smsgw/daemon/child-environment'

/**
 * Where the time of the system clock comes from. `synchronised`: from NTP. `kept`: from a battery-backed clock; also
 * used if the source is unknown and the machine is not a Raspberry Pi. `lost`: a Pi without a battery starts with the
 * time at which it was switched off.
 */
export type SystemClock = 'synchronised' | 'kept' | 'lost'

export function judgeSystemClock(machine: ClockSources = thisMachine): SystemClock {
  const isSynchronised = machine.isSynchronised()
  if (isSynchronised === true) return 'synchronised'
  // If the clock shows a time before the release of this program, the battery is empty.
  if (machine.nowMs() < earliestMs) return 'lost'
  if (machine.hasBattery()) return 'kept'
  return isSynchronised === undefined && !machine.isRaspberryPi() ? 'kept' : 'lost'
}

/** The earliest plausible time, which is before the release of this program. */
const earliestMs = Date.UTC(2026, 0, 1)

interface ClockSources {
  /** Undefined if unknown. */
  readonly isSynchronised: () => boolean | undefined
  readonly hasBattery: () => boolean
  readonly isRaspberryPi: () => boolean
  readonly nowMs: () => number
}

const thisMachine: ClockSources = {
  isSynchronised() {
    // systemd-timesyncd creates this file after its first synchronisation.
    if (existsSync('/run/systemd/timesync/synchronized')) return true
    if (!existsSync('/run/systemd/system')) return undefined
    const { stdout, status } = spawnSync('timedatectl', ['show', '--property=NTPSynchronized', '--value'], {
      encoding: 'utf8',
      timeout: 2000,
      env: childEnvironment(),
    })
    return status === 0 ? stdout.trim() === 'yes' : undefined
  },
  // A Pi 5 has a real-time clock, but usually no battery for it.
  hasBattery: () =>
    readIfThere('/sys/class/rtc/rtc0/hctosys') === '1' && !/rpi/i.test(readIfThere('/sys/class/rtc/rtc0/name') ?? ''),
  isRaspberryPi: () => readIfThere('/proc/device-tree/model')?.includes('Raspberry Pi') ?? false,
  nowMs: Date.now,
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}
