import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/**
 * How far this machine's clock may be believed. `synchronised`: a network keeps it right. `kept`: it was set from a clock
 * with a battery, or nothing tells and it is no Raspberry Pi. `lost`: a Pi without a clock of its own wakes up with the time
 * at which it was switched off.
 */
export type SystemClock = 'synchronised' | 'kept' | 'lost'

export function judgeSystemClock(machine: Machine = thisMachine): SystemClock {
  const isSynchronised = machine.isSynchronised()
  if (isSynchronised === true) return 'synchronised'
  // An empty battery shows by a time long gone.
  if (machine.nowMs() < earliestMs) return 'lost'
  if (machine.hasBattery()) return 'kept'
  return isSynchronised === undefined && !machine.isRaspberryPi() ? 'kept' : 'lost'
}

/** This program is younger. */
const earliestMs = Date.UTC(2026, 0, 1)

interface Machine {
  /** Undefined when nothing on this machine knows. */
  readonly isSynchronised: () => boolean | undefined
  readonly hasBattery: () => boolean
  readonly isRaspberryPi: () => boolean
  readonly nowMs: () => number
}

const thisMachine: Machine = {
  isSynchronised() {
    // systemd-timesyncd leaves this file when it has reached a server.
    if (existsSync('/run/systemd/timesync/synchronized')) return true
    if (!existsSync('/run/systemd/system')) return undefined
    const { stdout, status } = spawnSync('timedatectl', ['show', '--property=NTPSynchronized', '--value'], {
      encoding: 'utf8',
      timeout: 2000,
    })
    return status === 0 ? stdout.trim() === 'yes' : undefined
  },
  // A Pi 5 has a clock of its own and a socket for its battery, which is mostly empty.
  hasBattery: () =>
    readIfThere('/sys/class/rtc/rtc0/hctosys') === '1' && !/rpi/i.test(readIfThere('/sys/class/rtc/rtc0/name') ?? ''),
  isRaspberryPi: () => readIfThere('/proc/device-tree/model')?.includes('Raspberry Pi') ?? false,
  nowMs: Date.now,
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}
