import { StartError } from '@smsgw/daemon/start-error'
import type { ModemSite } from '../discovery/find-places.ts'

/** The setting POWER_CYCLE: how modems are switched off and on. */
export interface PowerSetting {
  /** The USB socket of a modem is switched off and on, if its hub supports that. */
  readonly usb: boolean
  /** The GPIO line of the PWRKEY or RESET pin, by the address in MODEMS. */
  readonly lines: ReadonlyMap<string, GpioLine>
}

export interface GpioLine {
  readonly chip: string
  readonly line: number
  /** True if the line is pulled low for the pulse. */
  readonly activeLow: boolean
  readonly pulseMs: number
}

export type PowerSwitch =
  | { readonly kind: 'gpio'; readonly line: GpioLine }
  /** `location` and `port` as uhubctl names them. */
  | { readonly kind: 'hub'; readonly location: string; readonly port: string }

/** Reads `usb,/dev/serial0=gpiochip0:4:low:1500`. */
export function readPowerSetting(text: string | undefined): PowerSetting {
  const entries = (text ?? '').split(',').flatMap((entry) => entry.trim() || [])
  const lines = entries.filter((entry) => entry !== 'usb').map(readLine)
  return { usb: entries.includes('usb'), lines: new Map(lines) }
}

function readLine(entry: string): [string, GpioLine] {
  const parts = /^(\S+)=(gpiochip\d{1,3}):(\d{1,4})(?::(low))?(?::(\d{2,5}))?$/.exec(entry)
  const pulseMs = Number(parts?.[5] ?? usualPulseMs)
  if (parts === null || pulseMs > longestPulseMs)
    throw new StartError(
      `POWER_CYCLE: "${entry}" must be "usb" or <port>=<chip>:<line>:<milliseconds>, with at most 20000 ms; for example /dev/serial0=gpiochip0:4:1500`,
    )
  const [, address = '', chip = '', line, low] = parts
  return [address, { chip, line: Number(line), activeLow: low !== undefined, pulseMs }]
}

/** Returns how the modem at this place is switched off and on. Undefined if the setting does not say how. */
export function powerSwitchOf(setting: PowerSetting, place: Pick<ModemSite, 'key' | 'usb'>): PowerSwitch | undefined {
  const line = setting.lines.get(place.key)
  if (line !== undefined) return { kind: 'gpio', line }
  const socket = setting.usb && place.usb !== undefined ? socketOf(place.usb.path) : undefined
  return socket && { kind: 'hub', ...socket }
}

/**
 * Returns the hub and the port of a socket: `1-1.4` is port 4 of the hub `1-1`, and `1-2` is port 2 of the root hub
 * `1`.
 */
function socketOf(path: string): { readonly location: string; readonly port: string } | undefined {
  const [, location, port] = /^(\d+(?:-\d+(?:\.\d+)*)?)[-.](\d+)$/.exec(path) ?? []
  return location === undefined || port === undefined ? undefined : { location, port }
}

/** Long enough to switch on a SIM800, a SIM7600 or an EC25 with its PWRKEY pin. */
const usualPulseMs = 1_500
const longestPulseMs = 20_000
