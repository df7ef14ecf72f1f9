import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { judgeDevice } from './judge-device.ts'
import { readUsbBus, type UsbDevice } from './usb-bus.ts'

/** Where a modem is, or is expected. */
export interface Place {
  /** The same as long as it is the same place: an address that was named, or a socket of the USB, `usb:1-1.4`. */
  readonly key: string
  /** Addresses of its ports, the best first. */
  readonly ports: readonly string[]
  readonly isPresent: boolean
  /** Whether it is there shows only when it is opened. */
  readonly isHidden: boolean
  /** There is a modem, though it may not answer now. */
  readonly isCertain: boolean
  readonly usb: PlaceOnUsb | undefined
  /** Which of those that were named it is, from 1 on: people mean its SIM by that number. */
  readonly position?: number
}

export interface PlaceOnUsb {
  readonly id: string
  readonly path: string
  /** Another one each time that the device comes onto the bus. */
  readonly session: string
}

export interface FoundPlaces {
  readonly places: readonly Place[]
  /** Modems on the bus that nobody named: where one may be that is known, after its port has got another name. */
  readonly unnamed: readonly Place[]
  /** What could be a modem and cannot be used, in a line that says what to do. */
  readonly unusable: readonly string[]
}

export interface Wanted {
  /** Whatever is on the USB and looks like a modem. */
  readonly auto: boolean
  /** `/dev/ttyUSB2`, any link to it, `tcp://host:port`, or whatever else can be opened. */
  readonly addresses: readonly string[]
}

export interface Machine {
  readonly sysfs: string
  readonly devices: string
}

export const thisMachine: Machine = { sysfs: '/sys', devices: '/dev' }

/** What is there now, of what is wanted. A port that was named stands for its whole device: the others are left alone. */
export async function findPlaces(wanted: Wanted, machine: Machine = thisMachine): Promise<FoundPlaces> {
  const bus = await readUsbBus(machine.sysfs)
  const addresses = await withoutTwins(wanted.addresses)
  const named = await Promise.all(addresses.map((address, at) => namedPlace(address, at + 1, bus, machine)))
  const taken = new Set(named.map(({ usb }) => usb?.path))
  const unnamed: Place[] = []
  const unusable: string[] = []
  for (const device of bus.filter(({ path }) => !taken.has(path))) {
    const judgement = judgeDevice(device)
    if (judgement.kind === 'modem') unnamed.push(placeOf(device, judgement, machine))
    else if (judgement.kind === 'unusable' && wanted.auto) unusable.push(judgement.words)
  }
  return wanted.auto ? { places: [...named, ...unnamed], unnamed: [], unusable } : { places: named, unnamed, unusable }
}

function placeOf(
  device: UsbDevice,
  { ttys, isCertain }: { readonly ttys: readonly string[]; readonly isCertain: boolean },
  { devices }: Machine,
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

async function namedPlace(
  address: string,
  position: number,
  bus: readonly UsbDevice[],
  { devices }: Machine,
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

/** The first of those that lead to the same port. */
async function withoutTwins(addresses: readonly string[]): Promise<readonly string[]> {
  const ports = await Promise.all(addresses.map((address) => realpath(address).catch(() => address)))
  return addresses.filter((_, index) => ports.indexOf(ports[index] ?? '') === index)
}

function onUsb({ id, path, session }: UsbDevice): PlaceOnUsb {
  return { id, path, session }
}

/** `/dev/serial/by-id/usb-…` leads to `ttyUSB2`, a link of one's own perhaps through several others. */
async function ttyBehind(path: string, devices: string): Promise<string | undefined> {
  let at = path
  for (let steps = 0; steps < mostLinks && dirname(at) !== devices; steps += 1) {
    const target = await readlink(at).catch(() => undefined)
    if (target === undefined) return undefined
    at = resolve(dirname(at), target)
  }
  return dirname(at) === devices ? basename(at) : undefined
}

const mostLinks = 8

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
