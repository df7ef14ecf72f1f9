import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { childEnvironment } from '@smsgw/daemon/child-environment'
import { judgeSystemClock } from '../../time/system-clock.ts'
import { type CodedFinding, type Finding, failFinding, okFinding, warnFinding } from '../finding.ts'

/**
 * Checks the power supply. A weak supply is the most frequent reason why a modem on a Raspberry Pi disconnects while it
 * sends.
 */
export function checkPower(sysfs = '/sys'): readonly CodedFinding[] {
  const flags = throttledFlags(sysfs)
  if (flags !== undefined) return [checkThrottled(flags)]
  const alarm = voltageAlarm(sysfs)
  return alarm === undefined ? [] : [checkThrottled(alarm ? undervoltageNow : 0)]
}

/** Bit 0: undervoltage now. Bit 16: undervoltage since boot. Bits 2 and 18: throttled because of undervoltage. */
export function checkThrottled(flags: number): CodedFinding {
  if ((flags & undervoltageNow) !== 0) {
    return failFinding('power', 'undervoltage: the supply voltage is too low now', supply, { code: 'power.low' })
  }
  if ((flags & undervoltageOnce) !== 0) {
    return warnFinding('power', 'undervoltage: the supply voltage was too low at least once since boot', supply, {
      code: 'power.was-low',
    })
  }
  return okFinding('power', 'no undervoltage since boot', { code: 'power.ok' })
}

const undervoltageNow = 1
const undervoltageOnce = 1 << 16
const supply = 'use the official power supply of this board and a short cable, or a powered USB hub'

function throttledFlags(sysfs: string): number | undefined {
  const text = readText(join(sysfs, 'devices/platform/soc/soc:firmware/get_throttled')) ?? askFirmware(sysfs)
  const flags = Number.parseInt(text ?? '', 16)
  return Number.isNaN(flags) ? undefined : flags
}

/** Reads the flags with `vcgencmd`, which only a Raspberry Pi has. Tests with another sysfs do not run the program. */
function askFirmware(sysfs: string): string | undefined {
  if (sysfs !== '/sys') return undefined
  const { stdout, status } = spawnSync('vcgencmd', ['get_throttled'], {
    encoding: 'utf8',
    timeout: 2_000,
    env: childEnvironment(),
  })
  return status === 0 ? /0x([0-9a-f]+)/i.exec(stdout)?.[1] : undefined
}

/** Reads the alarm of the driver `rpi_volt`, which newer kernels have instead of the flags. */
function voltageAlarm(sysfs: string): boolean | undefined {
  const folder = join(sysfs, 'class/hwmon')
  const sensor = entriesOf(folder).find((name) => readText(join(folder, name, 'name')) === 'rpi_volt')
  const alarm = sensor && readText(join(folder, sensor, 'in0_lcrit_alarm'))
  return alarm === undefined ? undefined : alarm === '1'
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Checks Node.js and the native library for serial ports. */
export async function checkRuntime(): Promise<readonly CodedFinding[]> {
  const { version, platform, arch } = process
  const [major] = version.slice(1).split('.').map(Number)
  const node =
    (major ?? 0) >= minNodeVersion
      ? okFinding('runtime', `Node ${version} on ${platform} ${arch}`, { code: 'runtime.ok', values: { version } })
      : failFinding(
          'runtime',
          `Node ${version} is too old`,
          `install Node ${minNodeVersion} or newer, or start with npm, which installs it`,
          { code: 'runtime.old', values: { version, wanted: minNodeVersion } },
        )
  return [node, await serialBinding()]
}

/** Loads the library for serial ports, which is compiled for each platform. */
async function serialBinding(): Promise<CodedFinding> {
  try {
    await import('../../ports/serial-port.ts')
    return okFinding('serial ports', 'library loaded', { code: 'serial.ok' })
  } catch (error) {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n')
    return failFinding(
      'serial ports',
      `cannot load the library (${reason})`,
      'install the packages again on this machine: npm ci',
      {
        code: 'serial.broken',
        values: { reason },
      },
    )
  }
}

const minNodeVersion = 24

/** Checks the system clock, which deadlines, work hours and message times depend on. */
export function checkClock(state = judgeSystemClock()): readonly CodedFinding[] {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (state === 'synchronised') {
    return [okFinding('clock', `synchronised, time zone ${zone}`, { code: 'clock.synchronised', values: { zone } })]
  }
  if (state === 'kept') {
    return [
      okFinding('clock', `a battery or the host keeps the clock correct; time zone ${zone}`, {
        code: 'clock.kept',
        values: { zone },
      }),
    ]
  }
  return [
    warnFinding(
      'clock',
      `not synchronised (time zone ${zone})`,
      'sudo timedatectl set-ntp true; until then the agent uses the time of the relay and the mobile network',
      { code: 'clock.unsynchronised', values: { zone }, commands: ['sudo timedatectl set-ntp true'] },
    ),
  ]
}

/** @param aheadMs the number of milliseconds by which the system clock is ahead of the clock of the relay */
export function checkSkew(aheadMs: number): Finding {
  const seconds = Math.round(aheadMs / 1000)
  if (Math.abs(aheadMs) < maxSkewMs) return okFinding('clock and relay', 'agree')
  const text = `this machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the relay`
  return warnFinding('clock and relay', text, 'synchronise both clocks by NTP: sudo timedatectl set-ntp true')
}

const maxSkewMs = 5_000

/** Reads a small file of the kernel or the system; undefined if it cannot be read. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/\0/g, '').trim()
  } catch {
    return undefined
  }
}
