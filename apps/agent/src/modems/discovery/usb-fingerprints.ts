import { catalogue } from '@smsgw/modem/profiles/catalogue'
import { layoutRules } from '@smsgw/modem/profiles/usb-layouts'
import { fitsUsbId, roleOfUsbPort, type UsbPortRole } from '@smsgw/modem/profiles/usb-port'
import type { DeviceInterface, UsbDevice } from './usb-bus.ts'

// Evidence that a port is or is not a command port. The ports of known modems are in their profiles in libs/modem.
// Sources: kernel drivers (drivers/usb/serial, drivers/net/usb), the list of USB ids, the devices that ModemManager
// ignores, USB CDC PSTN 1.2.

/** How likely a port accepts AT commands. Nothing is written to a port that scores below `likely`. */
export function scoreOf(
  device: Pick<UsbDevice, 'id'>,
  { number, class: interfaceClass, driver }: DeviceInterface,
): number {
  if (isSerialAdapter(device.id) || noModems.some((id) => fitsUsbId(id, device.id))) return never
  const rule = roleOfUsbPort(portRules, { id: device.id, interfaceNumber: number, interfaceClass })
  if (rule !== undefined) return byRole[rule.role]
  const ofVendor = isOfModemVendor(device.id) ? byVendor : 0
  const ofDriver = modemDrivers.has(driver ?? '') ? byDriver : 0
  const ofClass = byClass.find(([pattern]) => pattern.test(interfaceClass))?.[1] ?? 0
  return ofVendor + ofDriver + ofClass
}

export const likely = 20
/** A device with at least this score counts as a modem even if it does not answer. */
export const certain = 50
/** A port with at least this score accepts commands, according to the table of USB modems. */
export const takesCommands = 80

const never = Number.NEGATIVE_INFINITY

const byRole: Readonly<Record<UsbPortRole, number>> = {
  at: 100,
  'at-secondary': 80,
  ppp: 60,
  diagnostic: never,
  nmea: never,
  audio: never,
  'not-a-modem': never,
}

const byVendor = 30
const byDriver = 30

/** Drivers that only bind to modems. */
const modemDrivers: ReadonlySet<string> = new Set(['option', 'sierra', 'qcserial', 'hso', 'ipw', 'qcaux'])

/** CDC ACM interfaces that declare which commands they accept: V.250 or the commands of mobile phones. */
const byClass: readonly (readonly [RegExp, number])[] = [
  [/^02\/02\/01$/, 25],
  [/^02\/02\/0[2-6]$/, 20],
]

/** Rules for one product come before rules for all products of a vendor. */
const portRules = [...layoutRules, ...catalogue.flatMap((profile) => profile.usb)]

const modemVendors = [
  ...catalogue.flatMap(({ fingerprints }) => fingerprints.flatMap(({ usb }) => usb ?? [])),
  ...layoutRules.flatMap(({ ids }) => ids),
  '33f8', // Rolling Wireless
  '3731', // NetPrisma
  '2dee', // MeiG
]

export function isOfModemVendor(id: string): boolean {
  return modemVendors.some((vendor) => fitsUsbId(vendor, id))
}

/** Returns why a profile excludes the whole device; undefined if none does. */
export function refusalOf(id: string): string | undefined {
  return portRules.find((rule) => rule.role === 'not-a-modem' && rule.ids.some((known) => fitsUsbId(known, id)))?.words
}

/**
 * Returns true for a USB to serial converter. The device at the other end may be a GSM module, or a printer that
 * misinterprets `AT`.
 */
export function isSerialAdapter(id: string): boolean {
  return serialAdapters.some((adapter) => fitsUsbId(adapter, id))
}

const serialAdapters = [
  '0403', // FTDI
  '067b:2303', // Prolific
  '067b:23a3',
  '10c4:ea60', // Silicon Labs CP210x
  '10c4:ea70',
  '10c4:ea71',
  '1a86', // WCH CH340 and related
  '04d8:00df', // Microchip MCP2200
  '04d8:00dd',
  '0711', // Magic Control
  '050d:0103', // Belkin
  '0557:2008', // ATEN
  '0525:a4a7', // Linux gadget
]

/**
 * Devices that are not modems although the kernel treats them like modems. Opening the port resets or disturbs many of
 * these devices.
 */
const noModems = [
  '2341', // Arduino
  '2a03',
  '239a', // Adafruit
  '2e8a', // Raspberry Pi
  '303a', // Espressif
  '0483', // STMicroelectronics
  '1366', // SEGGER
  '1915', // Nordic
  '16c0', // Teensy and others
  '1d50', // open hardware
  '1209',
  '1b4f', // SparkFun
  '1cf1', // dresden elektronik
  '0451', // Texas Instruments
  '2c99', // Prusa
  '04d8', // Microchip
  '03eb', // Atmel
  '04b4', // Cypress
  '10c4', // Silicon Labs
  '091e', // Garmin
  '1546:01a5', // u-blox GNSS receivers
  '1546:01a6',
  '1546:01a7',
  '1546:01a8',
  '1546:01a9',
  '051d', // uninterruptible power supplies
  '0764',
  '0463',
  '06da',
  '0665',
]
