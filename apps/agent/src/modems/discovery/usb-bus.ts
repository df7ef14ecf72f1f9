import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** A USB device, as the kernel describes it under `/sys/bus/usb/devices`. */
export interface UsbDevice {
  /** The socket, such as `1-1.4`. The same for every device in this socket. */
  readonly path: string
  /** The kernel's device number, such as `1:23`; new each time the device connects. */
  readonly session: string
  /** `2c7c:0125` */
  readonly id: string
  /** The product name, if it has one. */
  readonly product: string | undefined
  /** The serial number, if it has one. Some makers use the same number for all devices. */
  readonly serial: string | undefined
  readonly interfaces: readonly DeviceInterface[]
}

export interface DeviceInterface {
  readonly number: number
  /** Class, subclass and protocol in hexadecimal, such as `ff/02/01`. */
  readonly class: string
  /** The driver, such as `option` or `cdc_acm`; undefined if the kernel has none for this interface. */
  readonly driver: string | undefined
  /** The port of the interface, such as `ttyUSB2`; most interfaces have none. */
  readonly ttys: readonly string[]
  /** The network interface, such as `eth1`, if this is an interface of a network card. */
  readonly networks: readonly string[]
}

/**
 * Reads the connected USB devices. Needs neither udev nor permissions, because everyone may read these files. A device
 * that disconnects during the read is left out.
 */
export async function readUsbBus(sysfs: string): Promise<readonly UsbDevice[]> {
  const folder = join(sysfs, 'bus/usb/devices')
  const names = await entriesOf(folder)
  const found = await Promise.all(
    names
      .filter((name) => /^\d+-[\d.]+$/.test(name))
      .map(async (path) => {
        const interfaces = names.filter((name) => name.startsWith(`${path}:`))
        return readDevice(folder, path, interfaces)
      }),
  )
  return found.filter((device) => device !== undefined)
}

/** Returns the ports that ModemManager ignores by a udev rule, although it may use the rest of the device. */
export async function portsIgnoredByModemManager(
  ttys: readonly string[],
  { sysfs, udev = '/run/udev/data' }: { readonly sysfs: string; readonly udev?: string },
): Promise<readonly string[]> {
  const isIgnored = await Promise.all(
    ttys.map(async (tty) => {
      const number = await textOf(join(sysfs, 'class/tty', tty, 'dev'))
      const record = number === undefined ? undefined : await textOf(join(udev, `c${number}`))
      return record !== undefined && /^E:ID_MM_PORT_IGNORE=1$/m.test(record)
    }),
  )
  return ttys.filter((_, at) => isIgnored[at])
}

async function readDevice(folder: string, path: string, names: readonly string[]): Promise<UsbDevice | undefined> {
  const attribute = (name: string) => textOf(join(folder, path, name))
  const [vendor, product, bus, number, productName, serial] = await Promise.all(
    ['idVendor', 'idProduct', 'busnum', 'devnum', 'product', 'serial'].map(attribute),
  )
  if (!vendor || !product) return undefined
  const interfaces = await Promise.all(names.map((name) => readInterface(join(folder, name))))
  return {
    path,
    session: `${bus}:${number}`,
    id: `${vendor}:${product}`.toLowerCase(),
    product: productName,
    serial: serial || undefined,
    interfaces: interfaces.filter((each) => each !== undefined).sort((a, b) => a.number - b.number),
  }
}

async function readInterface(folder: string): Promise<DeviceInterface | undefined> {
  const attributes = ['bInterfaceNumber', 'bInterfaceClass', 'bInterfaceSubClass', 'bInterfaceProtocol']
  const [number, ...classes] = await Promise.all(attributes.map((name) => textOf(join(folder, name))))
  if (number === undefined) return undefined
  const driver = await readlink(join(folder, 'driver')).catch(ignoreMissing)
  // The tty of a serial converter is directly in the folder of its interface (`ttyUSB2`); a CDC tty is one folder
  // deeper (`tty/ttyACM0`).
  const below = [...(await entriesOf(folder)), ...(await entriesOf(join(folder, 'tty')))]
  return {
    number: Number.parseInt(number, 16),
    class: classes.join('/').toLowerCase(),
    driver: driver === undefined ? undefined : basename(driver),
    ttys: below.filter((name) => /^tty./.test(name)),
    networks: await entriesOf(join(folder, 'net')),
  }
}

async function textOf(file: string): Promise<string | undefined> {
  return (await readFile(file, 'utf8').catch(ignoreMissing))?.trim()
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? []
}

/** Ignores the error if a file is missing or was removed during the read. sysfs has several error codes for this. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (!missing.has(error.code ?? '')) throw error
}

const missing = new Set(['ENOENT', 'ENOTDIR', 'ENODEV', 'ENXIO', 'EIO', 'EINVAL'])
