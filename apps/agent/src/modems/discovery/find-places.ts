import { readlink, realpath, stat } from 'node:fs/promises'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { classifyDevice, nameOf } from './classify-device.ts'
import { readUsbBus, type UsbDevice } from './usb-bus.ts'

/** A place where a modem is or may be connected. */
export interface Place {
  /** Identifies the place: an address from MODEMS, or a USB socket such as `usb:1-1.4`. */
  readonly key: string
  /** Addresses of its ports, most suitable first. */
  readonly ports: readonly string[]
  readonly isPresent: boolean
  /** Whether the presence of a modem can only be determined by opening the port. */
  readonly isHidden: boolean
  /** Whether there is certainly a modem, even if it does not answer. */
  readonly isCertain: boolean
  readonly usb: PlaceOnUsb | undefined
  /** The position in MODEMS, counted from 1. Users expect the SIM at this place to have this number. */
  readonly position?: number
}

export interface PlaceOnUsb {
  readonly id: string
  readonly path: string
  readonly serial?: string | undefined
  /** Changes each time the device is connected or restarts. */
  readonly session: string
}

export interface FoundPlaces {
  readonly places: readonly Place[]
  /** Connected modems that MODEMS does not list. A listed modem may be among them after its port name has changed. */
  readonly unlisted: readonly Place[]
  /** Devices that look like modems but cannot be used: one line each, with what to do. */
  readonly unusable: readonly string[]
}

export interface Wanted {
  /** Whether to use all USB devices that look like modems. */
  readonly auto: boolean
  /** `/dev/ttyUSB2`, a link to it, `tcp://host:port`, or another address that can be opened. */
  readonly addresses: readonly string[]
}

export interface DeviceFolders {
  readonly sysfs: string
  readonly devices: string
  /** The addresses of the network interfaces. */
  readonly networks: () => NodeJS.Dict<readonly NetworkAddress[]>
}

export type NetworkAddress = Pick<NetworkInterfaceInfo, 'address' | 'netmask' | 'family'>

export const thisMachine: DeviceFolders = { sysfs: '/sys', devices: '/dev', networks: networkInterfaces }

/** Finds the wanted modems. Listing one port of a device covers the device: its other ports are not used. */
export async function findPlaces(wanted: Wanted, machine: DeviceFolders = thisMachine): Promise<FoundPlaces> {
  const bus = await readUsbBus(machine.sysfs)
  const addresses = await withoutDuplicates(wanted.addresses)
  const listed = await Promise.all(addresses.map((address, at) => listedPlace(address, at + 1, bus, machine)))
  const listedPaths = new Set(listed.map(({ usb }) => usb?.path))
  const unlisted: Place[] = []
  const unusable: string[] = []
  for (const device of bus.filter(({ path }) => !listedPaths.has(path))) {
    const found = classifyDevice(device)
    if (found.kind === 'modem') unlisted.push(placeOf(device, found, machine))
    else if (found.kind === 'hilink') {
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
  { ttys, isCertain }: { readonly ttys: readonly string[]; readonly isCertain: boolean },
  { devices }: DeviceFolders,
): Place {
  return {
    key: `usb:${device.path}`,
    ports: ttys.map((tty) => join(devices, tty)),
    isPresent: true,
    isHidden: false,
    isCertain,
    usb: onUsb(device),
  }
}

function hilinkPlace(device: UsbDevice, address: string, isCertain: boolean): Place {
  const key = `usb:${device.path}`
  return { key, ports: [`hilink://${address}`], isPresent: true, isHidden: true, isCertain, usb: onUsb(device) }
}

/** A HiLink stick gives this machine an address by DHCP, and has the first address of the same network itself. */
function stickAddress(addresses: readonly NetworkAddress[] = []): string | undefined {
  const own = addresses.find(({ family }) => family === 'IPv4')
  if (own === undefined) return undefined
  const mask = own.netmask.split('.').map(Number)
  const network = own.address.split('.').map((part, at) => Number(part) & (mask[at] ?? 0))
  const stick = [...network.slice(0, 3), (network[3] ?? 0) + 1].join('.')
  return stick === own.address ? undefined : stick
}

const withoutAddress = (network: string): string =>
  `it is a HiLink stick, and its network interface ${network} has no IPv4 address from it. ` +
  `Let the interface use DHCP, for example with sudo dhclient ${network}.`

async function listedPlace(
  address: string,
  position: number,
  bus: readonly UsbDevice[],
  { devices }: DeviceFolders,
): Promise<Place> {
  const isPath = /^\.{0,2}\//.test(address)
  const tty = isPath ? await ttyBehind(resolve(address), resolve(devices)) : undefined
  const device = bus.find(({ interfaces }) => interfaces.some(({ ttys }) => tty !== undefined && ttys.includes(tty)))
  return {
    key: address,
    ports: [address],
    isPresent: !isPath || (await exists(address)),
    isHidden: !isPath,
    isCertain: true,
    usb: device && onUsb(device),
    position,
  }
}

/** Keeps the first of several addresses of the same port. */
async function withoutDuplicates(addresses: readonly string[]): Promise<readonly string[]> {
  const ports = await Promise.all(addresses.map((address) => realpath(address).catch(() => address)))
  return addresses.filter((_, index) => ports.indexOf(ports[index] ?? '') === index)
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

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
