import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/**
 * Whether this machine's clock is kept right: it is synchronised, or it has a battery, or there is nothing that tells and it
 * is no Raspberry Pi. A Pi without a clock of its own wakes up with the time at which it was switched off, and only a
 * network corrects that.
 */
export function systemClockIsRight(machine: Machine = thisMachine): boolean {
  if (machine.isSynchronised() === true) return true
  if (machine.hasBattery()) return true
  return machine.isSynchronised() === undefined && !machine.isRaspberryPi()
}

interface Machine {
  /** Undefined when nothing on this machine knows. */
  readonly isSynchronised: () => boolean | undefined
  readonly hasBattery: () => boolean
  readonly isRaspberryPi: () => boolean
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
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}
