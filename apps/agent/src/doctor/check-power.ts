import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Finding, fail, ok, warn } from './finding.ts'
import { readText } from './read-text.ts'

/** A weak power supply is the most frequent reason why a modem on a Raspberry Pi vanishes while it sends. */
export function checkPower(sysfs = '/sys'): readonly Finding[] {
  const flags = throttledFlags(sysfs)
  if (flags !== undefined) return [judgeThrottled(flags)]
  const alarm = voltageAlarm(sysfs)
  return alarm === undefined ? [] : [judgeThrottled(alarm ? undervoltageNow : 0)]
}

/** Bit 0: too little voltage now; bit 16: since it was switched on. 2 and 18: it runs slower for it. */
export function judgeThrottled(flags: number): Finding {
  if ((flags & undervoltageNow) !== 0) {
    return fail('power', 'the voltage is too low now', supply)
  }
  if ((flags & undervoltageOnce) !== 0) {
    return warn('power', 'the voltage was too low since this machine was switched on', supply)
  }
  return ok('power', 'the voltage was never too low')
}

const undervoltageNow = 1
const undervoltageOnce = 1 << 16
const supply = 'use the power supply made for this board and a short cable, or a USB hub with a supply of its own'

function throttledFlags(sysfs: string): number | undefined {
  const told = readText(join(sysfs, 'devices/platform/soc/soc:firmware/get_throttled')) ?? askFirmware(sysfs)
  const flags = Number.parseInt(told ?? '', 16)
  return Number.isNaN(flags) ? undefined : flags
}

/** Only a Pi has this program, and only the machine we run on is asked. */
function askFirmware(sysfs: string): string | undefined {
  if (sysfs !== '/sys') return undefined
  const { stdout, status } = spawnSync('vcgencmd', ['get_throttled'], { encoding: 'utf8', timeout: 2_000 })
  return status === 0 ? /0x([0-9a-f]+)/i.exec(stdout)?.[1] : undefined
}

/** The driver `rpi_volt` of newer kernels. */
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
