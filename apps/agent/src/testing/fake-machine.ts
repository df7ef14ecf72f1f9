import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { DeviceFolders, NetworkAddress } from '../modems/discovery/find-places.ts'

/** A USB device as its vendor describes it. The kernel chooses the names of its ports. */
export interface FakeDevice {
  /** `2c7c:0125` */
  readonly id: string
  readonly product?: string
  readonly interfaces: readonly FakeInterface[]
}

export interface FakeInterface {
  /** `ff/00/00` */
  readonly class: string
  readonly driver?: string
  readonly number?: number
  /** The network interface that the driver of the device creates. */
  readonly network?: string
}

/** Simulates `/sys` and `/dev` in a temporary folder. */
export class FakeMachine {
  readonly folder = mkdtempSync(join(tmpdir(), 'smsgw-machine-'))
  /** The addresses by network interface. */
  readonly addresses: Record<string, readonly NetworkAddress[]> = {}
  readonly machine = {
    sysfs: join(this.folder, 'sys'),
    devices: join(this.folder, 'dev'),
    udev: join(this.folder, 'udev'),
    proc: join(this.folder, 'proc'),
    networks: () => this.addresses,
  } satisfies DeviceFolders
  #plugs = 0
  #programs = 0

  constructor() {
    mkdirSync(join(this.machine.sysfs, 'bus/usb/devices'), { recursive: true })
    mkdirSync(this.machine.devices)
  }

  /**
   * Connects the device at a USB path, such as `1-1.4`. `ttys`: the names of its ports by interface. Each port is a
   * link to the port of an emulator, or a broken link.
   */
  plug(device: FakeDevice, path: string, ttys: Readonly<Record<number, FakeTty>> = {}): void {
    this.#plugs += 1
    const [idVendor = '', idProduct = ''] = device.id.split(':')
    const folder = join(this.machine.sysfs, 'devices/pci0000:00/usb1', path)
    this.#write(folder, {
      idVendor,
      idProduct,
      busnum: '1',
      devnum: String(this.#plugs),
      bNumInterfaces: ` ${device.interfaces.length}`,
      ...(device.product !== undefined && { product: device.product }),
    })
    this.#link(folder, path)
    device.interfaces.forEach((each, index) => {
      const number = each.number ?? index
      const name = `${path}:1.${number}`
      this.#plugInterface(join(folder, name), { ...each, number }, ttys[number])
      this.#link(join(folder, name), name)
    })
  }

  unplug(path: string, ttys: readonly string[] = []): void {
    const { sysfs, devices } = this.machine
    for (const tty of ttys) rmSync(join(devices, tty), { force: true })
    rmSync(join(sysfs, 'bus/usb/devices', path))
    for (let number = 0; number < 16; number += 1) {
      rmSync(join(sysfs, 'bus/usb/devices', `${path}:1.${number}`), { force: true })
    }
    rmSync(join(sysfs, 'devices/pci0000:00/usb1', path), { recursive: true })
  }

  /** Starts a program that has opened these ports. */
  run(program: string, ports: readonly string[] = []): void {
    const process = join(this.machine.proc, String(++this.#programs))
    mkdirSync(join(process, 'fd'), { recursive: true })
    writeFileSync(join(process, 'cmdline'), `/usr/sbin/${program}\0`)
    ports.forEach((port, fd) => {
      symlinkSync(port, join(process, 'fd', String(fd)))
    })
  }

  /** The path of a port. */
  port(tty: string): string {
    return join(this.machine.devices, tty)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }

  #plugInterface(
    folder: string,
    { number, class: classes, driver, network }: Required<Pick<FakeInterface, 'class'>> & FakeInterface,
    tty?: FakeTty,
  ) {
    const [bInterfaceClass = '', bInterfaceSubClass = '', bInterfaceProtocol = ''] = classes.split('/')
    const bInterfaceNumber = (number ?? 0).toString(16).padStart(2, '0')
    this.#write(folder, {
      bInterfaceNumber,
      bInterfaceClass,
      bInterfaceSubClass,
      bInterfaceProtocol,
      bNumEndpoints: '03',
    })
    if (driver !== undefined) {
      const drivers = join(this.machine.sysfs, 'bus/usb/drivers', driver)
      mkdirSync(drivers, { recursive: true })
      symlinkSync(relative(folder, drivers), join(folder, 'driver'))
    }
    if (network !== undefined) mkdirSync(join(folder, 'net', network), { recursive: true })
    if (tty === undefined) return
    // The CDC driver creates its terminals one folder deeper than drivers of serial converters do.
    mkdirSync(driver === 'cdc_acm' ? join(folder, 'tty', tty.name) : join(folder, tty.name, 'tty', tty.name), {
      recursive: true,
    })
    if (tty.leadsTo !== undefined) symlinkSync(tty.leadsTo, this.port(tty.name))
  }

  #write(folder: string, attributes: Readonly<Record<string, string>>): void {
    mkdirSync(folder, { recursive: true })
    for (const [name, value] of Object.entries(attributes)) writeFileSync(join(folder, name), `${value}\n`)
  }

  #link(folder: string, name: string): void {
    const bus = join(this.machine.sysfs, 'bus/usb/devices')
    symlinkSync(relative(bus, folder), join(bus, name))
  }
}

export interface FakeTty {
  readonly name: string
  readonly leadsTo?: string
}

const option = (interfaceClass: string) => ({ class: interfaceClass, driver: 'option' })
const disk = { class: '08/06/50', driver: 'usb-storage' }

/** Real devices, as `lsusb -v` shows them. */
export const devices = {
  ec25: {
    id: '2c7c:0125',
    product: 'EG25-G',
    interfaces: [
      option('ff/ff/ff'),
      option('ff/00/00'),
      option('ff/00/00'),
      option('ff/00/00'),
      { class: 'ff/ff/ff', driver: 'qmi_wwan' },
    ],
  },
  sim7600: {
    id: '1e0e:9001',
    product: 'SimTech, Incorporated',
    interfaces: [
      option('ff/ff/ff'),
      option('ff/00/00'),
      option('ff/00/00'),
      option('ff/00/00'),
      option('ff/00/00'),
      { class: 'ff/ff/ff', driver: 'qmi_wwan' },
    ],
  },
  e3372Stick: {
    id: '12d1:1506',
    product: 'HUAWEI_MOBILE',
    interfaces: [option('ff/02/12'), option('ff/02/01'), { class: 'ff/02/16', driver: 'huawei_cdc_ncm' }, disk],
  },
  e3372HiLink: {
    id: '12d1:14dc',
    product: 'HUAWEI_MOBILE',
    interfaces: [{ class: '02/06/00', driver: 'cdc_ether' }, { class: '0a/06/00', driver: 'cdc_ether' }, disk],
  },
  e3372Disk: { id: '12d1:1f01', product: 'HUAWEI_MOBILE', interfaces: [disk] },
  /** An old device whose interface classes do not identify its ports. */
  e173: {
    id: '12d1:1001',
    product: 'HUAWEI Mobile',
    interfaces: [option('ff/ff/ff'), option('ff/ff/ff'), option('ff/ff/ff'), disk],
  },
  zteMf190: {
    id: '19d2:0117',
    product: 'ZTE WCDMA Technologies MSM',
    interfaces: [option('ff/ff/ff'), option('ff/ff/ff'), option('ff/ff/ff'), disk],
  },
  zteNetworkCard: {
    id: '19d2:1405',
    product: 'ZTE Mobile Broadband',
    interfaces: [{ class: '02/06/00', driver: 'cdc_ether' }, { class: '0a/00/00', driver: 'cdc_ether' }, disk],
  },
  mbimOnly: {
    id: '2cb7:0007',
    product: 'L850-GL',
    interfaces: [
      { class: '02/0e/00', driver: 'cdc_mbim' },
      { class: '0a/00/02', driver: 'cdc_mbim' },
    ],
  },
  withoutDriver: { id: '2c7c:6007', product: 'EC200', interfaces: [{ class: 'ff/00/00' }, { class: 'ff/00/00' }] },
  ch340: { id: '1a86:7523', product: 'USB Serial', interfaces: [{ class: 'ff/01/02', driver: 'ch341' }] },
  arduino: {
    id: '2341:0043',
    interfaces: [
      { class: '02/02/01', driver: 'cdc_acm' },
      { class: '0a/00/00', driver: 'cdc_acm' },
    ],
  },
  phone: {
    id: '22b8:2d91',
    product: 'Phone',
    interfaces: [
      { class: '02/02/01', driver: 'cdc_acm' },
      { class: '0a/00/00', driver: 'cdc_acm' },
    ],
  },
  keyboard: { id: '046d:c31c', product: 'USB Keyboard', interfaces: [{ class: '03/01/01', driver: 'usbhid' }] },
} as const satisfies Readonly<Record<string, FakeDevice>>
