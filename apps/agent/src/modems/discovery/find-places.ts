import { readlink, realpath } from 'node:fs/promises'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { classifyDevice, type DeviceClass, nameOf } from './classify-device.ts'
import { portsIgnoredByModemManager, readUsbBus, type UsbDevice } from './usb-bus.ts'

/** A place where a modem is or may be connected. */
export interface ModemSite {
  /** Identifies the place: an address from MODEMS, or a USB socket such as `usb:1-1.4`. */
  readonly key: string
  /** Addresses of its ports, most suitable first. */
  readonly ports: readonly string[]
  /**
   * The ports that certainly accept commands, because the table of USB modems lists them, or because MODEMS names two
   * ports of the modem.
   */
  readonly commandPorts?: readonly string[]
  /** True if a udev rule makes ModemManager ignore these ports. ModemManager may use the other ports of the device. */
  readonly isShared?: boolean
  readonly isPresent: boolean
  /** True if the port must be opened to find out whether a modem is connected. */
  readonly isHidden: boolean
  /** True if the place certainly has a modem, even a modem that does not answer. */
  readonly isCertain: boolean
  readonly usb: PlaceOnUsb | undefined
  /** The position in MODEMS, counted from 1. Users expect that the SIM number of this place equals the position. */
  readonly position?: number
}

export interface PlaceOnUsb {
  readonly id: string
  readonly path: string
  readonly serial?: string | undefined
  /** A value that changes each time the device is connected or restarts. */
  readonly session: string
}

/** Returns false if the places differ, or if a device was plugged in there between `before` and `now`. */
export function isSameDevice(before: ModemSite, now: ModemSite): boolean {
  return before.key === now.key && before.usb?.session === now.usb?.session
}

export interface FoundPlaces {
  readonly places: readonly ModemSite[]
  /** Connected modems that MODEMS does not list. A listed modem whose port name has changed may be among them. */
  readonly unlisted: readonly ModemSite[]
  /** Devices that look like modems but cannot be used. Each line describes one device and a solution. */
  readonly unusable: readonly string[]
}

export interface Wanted {
  /** True if all USB devices that look like modems are used. */
  readonly auto: boolean
  /** `/dev/ttyUSB2`, a link to it, `tcp://host:port`, or another address that can be opened. */
  readonly addresses: readonly string[]
  /** The second port of a modem, by the address of its first port. */
  readonly seconds?: Readonly<Record<string, string>>
}

export interface DeviceFolders {
  readonly sysfs: string
  readonly devices: string
  /** The database of udev. Default: /run/udev/data. */
  readonly udev?: string
  /** Default: /proc. */
  readonly proc?: string
  /** The addresses of the network interfaces. */
  readonly networks: () => NodeJS.Dict<readonly NetworkAddress[]>
}

export type NetworkAddress = Pick<NetworkInterfaceInfo, 'address' | 'netmask' | 'family'>

export const thisMachine: DeviceFolders = { sysfs: '/sys', devices: '/dev', networks: networkInterfaces }

/**
 * Finds the modems that MODEMS selects. If MODEMS lists one port of a device, the other ports of that device are not
 * used. If a udev rule makes ModemManager ignore one port of a device, the other ports belong to ModemManager.
 */
export async function findPlaces(wanted: Wanted, machine: DeviceFolders = thisMachine): Promise<FoundPlaces> {
  const bus = await readUsbBus(machine.sysfs)
  const addresses = await withoutDuplicates(wanted.addresses)
  const listed = await Promise.all(
    addresses.map((each, at) => listedPlace(each, wanted.seconds?.[each.address], at + 1, bus, machine)),
  )
  const listedPaths = new Set(listed.map(({ usb }) => usb?.path))
  const unlisted: ModemSite[] = []
  const unusable: string[] = []
  for (const device of bus.filter(({ path }) => !listedPaths.has(path))) {
    const found = classifyDevice(device)
    if (found.kind === 'modem') {
      const own = await portsIgnoredByModemManager(found.commandTtys, machine)
      const isShared = own.length > 0
      const place = placeOf(device, isShared ? { ...found, ttys: own, commandTtys: own } : found, machine)
      unlisted.push(isShared ? { ...place, isShared } : place)
    } else if (found.kind === 'hilink') {
      const address = stickAddress(machine.networks()[found.network])
      if (address !== undefined) unlisted.push(hilinkPlace(device, address, found.isCertain))
      else if (wanted.auto) unusable.push(`${nameOf(device)}: ${withoutAddress(found.network)}`)
    } else if (found.kind === 'unusable' && wanted.auto) unusable.push(found.problem)
  }
  if (!wanted.auto) return { places: listed, unlisted, unusable }
  return { places: [...listed, ...unlisted], unlisted: [], unusable }
}

function placeOf(
  device: UsbDevice,
  { ttys, commandTtys, isCertain }: Extract<DeviceClass, { kind: 'modem' }>,
  { devices }: DeviceFolders,
): ModemSite {
  return {
    key: `usb:${device.path}`,
    ports: ttys.map((tty) => join(devices, tty)),
    commandPorts: commandTtys.map((tty) => join(devices, tty)),
    isPresent: true,
    isHidden: false,
    isCertain,
    usb: onUsb(device),
  }
}

function hilinkPlace(device: UsbDevice, address: string, isCertain: boolean): ModemSite {
  const key = `usb:${device.path}`
  return { key, ports: [`hilink://${address}`], isPresent: true, isHidden: true, isCertain, usb: onUsb(device) }
}

/** A HiLink stick gives this machine an address by DHCP, and uses the first address of the same network. */
function stickAddress(addresses: readonly NetworkAddress[] = []): string | undefined {
  const own = addresses.find(({ family }) => family === 'IPv4')
  if (own === undefined) return undefined
  const mask = own.netmask.split('.').map(Number)
  const network = own.address.split('.').map((part, at) => Number(part) & (mask[at] ?? 0))
  const stick = [...network.slice(0, 3), (network[3] ?? 0) + 1].join('.')
  return stick === own.address ? undefined : stick
}

const withoutAddress = (network: string): string =>
  `the device is a HiLink stick, and its network interface ${network} has no IPv4 address from the stick. ` +
  `Let the interface use DHCP, for example with sudo dhclient ${network}.`

async function listedPlace(
  { address, isPath, target }: ListedAddress,
  second: string | undefined,
  position: number,
  bus: readonly UsbDevice[],
  machine: DeviceFolders,
): Promise<ModemSite> {
  const { devices } = machine
  const mayBeOnUsb = isPath && bus.some(({ interfaces }) => interfaces.some(({ ttys }) => ttys.length > 0))
  const tty = mayBeOnUsb ? await ttyBehind(resolve(address), resolve(devices)) : undefined
  const device = bus.find(({ interfaces }) => interfaces.some(({ ttys }) => tty !== undefined && ttys.includes(tty)))
  const isShared =
    tty !== undefined && device !== undefined && (await portsIgnoredByModemManager([tty], machine)).length > 0
  return {
    key: address,
    ports: [address],
    ...(second !== undefined && { commandPorts: [address, second] }),
    ...(isShared && { isShared }),
    isPresent: !isPath || target !== undefined,
    isHidden: !isPath,
    isCertain: true,
    usb: device && onUsb(device),
    position,
  }
}

interface ListedAddress {
  readonly address: string
  readonly isPath: boolean
  /** The device at the end of all links; undefined if the path does not exist. */
  readonly target: string | undefined
}

/**
 * If several addresses lead to the same port, keeps the first of them. The search runs every few seconds, so each path
 * is looked up once.
 */
async function withoutDuplicates(addresses: readonly string[]): Promise<readonly ListedAddress[]> {
  const listed = await Promise.all(
    addresses.map(async (address) => {
      const isPath = /^\.{0,2}\//.test(address)
      return { address, isPath, target: isPath ? await realpath(address).catch(() => undefined) : undefined }
    }),
  )
  const ports = listed.map(({ address, target }) => target ?? address)
  return listed.filter((_, index) => ports.indexOf(ports[index] ?? '') === index)
}

function onUsb({ id, path, serial, session }: UsbDevice): PlaceOnUsb {
  return { id, path, serial, session }
}

/** Follows links such as `/dev/serial/by-id/usb-…` to `ttyUSB2`, even if one link leads to another. */
async function ttyBehind(path: string, devices: string): Promise<string | undefined> {
  let at = path
  for (let steps = 0; steps < maxLinks && dirname(at) !== devices; steps += 1) {
    const target = await readlink(at).catch(() => undefined)
    if (target === undefined) return undefined
    at = resolve(dirname(at), target)
  }
  return dirname(at) === devices ? basename(at) : undefined
}

const maxLinks = 8
