import { modeSwitchCommand } from '@smsgw/modem/profiles/mode-switches'
import type { UsbDevice } from './usb-bus.ts'
import {
  certain,
  isOfModemVendor,
  isSerialAdapter,
  likely,
  refusalOf,
  scoreOf,
  takesCommands,
} from './usb-fingerprints.ts'

export type DeviceClass =
  /**
   * `ttys`: ports that are probably command ports, most probable first. `isCertain`: the device is a modem even if it
   * does not answer.
   */
  | {
      readonly kind: 'modem'
      readonly ttys: readonly string[]
      /** The ports that certainly accept commands. */
      readonly commandTtys: readonly string[]
      readonly isCertain: boolean
    }
  /** The device is a network card with a web interface. `network`: its network interface. */
  | { readonly kind: 'hilink'; readonly network: string; readonly isCertain: boolean }
  /** The device looks like a modem but cannot be used as it is. */
  | { readonly kind: 'unusable'; readonly reason: UnusableReason; readonly problem: string }
  | { readonly kind: 'other' }

type UnusableReason =
  | 'adapter'
  | 'brovi'
  | 'storage-mode'
  | 'excluded'
  | 'unknown-ports'
  | 'data-only'
  | 'network-card'
  | 'no-driver'

/** Classifies a device by its USB descriptors. */
export function classifyDevice(device: UsbDevice): DeviceClass {
  const ports = device.interfaces
    .flatMap((each) => each.ttys.map((tty) => ({ tty, number: each.number, score: scoreOf(device, each) })))
    .filter(({ score }) => score >= likely)
    .sort((a, b) => b.score - a.score || a.number - b.number)
  if (ports[0] !== undefined) {
    const commandPorts = ports.filter(({ score }) => score >= takesCommands)
    return {
      kind: 'modem',
      ttys: ports.map(({ tty }) => tty),
      commandTtys: commandPorts.map(({ tty }) => tty),
      isCertain: ports[0].score >= certain,
    }
  }
  const network = hilinkNetworkOf(device)
  if (network !== undefined) return { kind: 'hilink', network, isCertain: isKnownHilink(device.id) }
  const unusable = whyUnusable(device)
  if (unusable === undefined) return { kind: 'other' }
  const [reason, problem] = unusable
  return { kind: 'unusable', reason, problem: `${nameOf(device)}: ${problem}` }
}

/** Returns the network interface of a Huawei or Brovi stick that has no command port and is not only a disk. */
function hilinkNetworkOf({ id, interfaces }: UsbDevice): string | undefined {
  if (!hilinkVendors.some((vendor) => id.startsWith(vendor)) || interfaces.some(({ ttys }) => ttys.length > 0)) {
    return undefined
  }
  return interfaces.find((each) => isNetworkCard(each.class) && each.networks.length > 0)?.networks[0]
}

function isKnownHilink(id: string): boolean {
  return modeSwitchCommand(id) !== undefined || refusalOf(id) !== undefined
}

const hilinkVendors = ['12d1:', '3566:']

export function nameOf({ id, path, product }: UsbDevice): string {
  return `USB device ${id} at ${path}${product === undefined ? '' : ` (${product.slice(0, 40)})`}`
}

function whyUnusable({ id, interfaces }: UsbDevice): readonly [UnusableReason, string] | undefined {
  const ttys = interfaces.flatMap((each) => each.ttys)
  if (isSerialAdapter(id)) {
    if (ttys.length === 0) return undefined
    return [
      'adapter',
      'a serial adapter; not used automatically, because the device connected to it may not be a modem. ' +
        `If it is a modem, set MODEMS=/dev/${ttys[0]}`,
    ]
  }
  if (!isOfModemVendor(id) || interfaces.length === 0) return undefined
  const ownSwitch = modeSwitchCommand(id)
  if (ttys.length === 0 && ownSwitch !== undefined) return ['brovi', broviMode(ownSwitch.join(' '))]
  if (isInStorageMode({ id, interfaces })) return ['storage-mode', storageMode]
  const refusal = refusalOf(id)
  if (refusal !== undefined) return ['excluded', refusal]
  if (ttys.length > 0) {
    const problem = `it is not known whether any of its ports (${ttys.join(', ')}) accepts commands; if a port accepts commands, set MODEMS to that port`
    return ['unknown-ports', problem]
  }
  if (interfaces.some(({ driver }) => driver === 'cdc_mbim' || driver === 'qmi_wwan')) {
    return ['data-only', packetsOnly]
  }
  if (interfaces.some((each) => isNetworkCard(each.class))) return ['network-card', networkCard]
  if (interfaces.some((each) => each.class.startsWith('ff/') && each.driver === undefined)) {
    return ['no-driver', noDriver(id)]
  }
  return undefined
}

/** True if the device is a modem that shows only a disk with Windows drivers until it is switched. */
export function isInStorageMode({ id, interfaces }: Pick<UsbDevice, 'id' | 'interfaces'>): boolean {
  return isOfModemVendor(id) && interfaces.length > 0 && interfaces.every((each) => isDisk(each.class))
}

const isDisk = (interfaceClass: string): boolean => interfaceClass.startsWith('08/')

/** CDC Ethernet, EEM and NCM, and the classes that Microsoft and others use for RNDIS. */
const isNetworkCard = (interfaceClass: string): boolean =>
  /^02\/(06|0c|0d)\/|^e0\/01\/03$|^ef\/04\/01$|^02\/02\/ff$/.test(interfaceClass)

const storageMode =
  'the device is in storage mode (a disk with Windows drivers), not in modem mode. ' +
  'Install the package usb-modeswitch, then plug the device in again.'

const networkCard =
  'the device is in network card mode (HiLink or similar) and has no command port. ' +
  'Switch the device to modem mode or install stick firmware; if neither is available, use another modem.'

const broviMode = (command: string): string =>
  'the device is a HiLink stick (Brovi E3372-325). It is in storage mode, or the kernel has no driver for its network card. ' +
  `Run sudo ${command} to switch the mode. If the stick still cannot be used, use another modem.`

const packetsOnly =
  'the device is in a data-only USB mode (MBIM or QMI) and has no command port. ' +
  'Switch the device to a mode with serial ports; the command is in the manual of the modem.'

const noDriver = (id: string): string =>
  'the kernel has no driver for the ports of this device. If the device is a modem: sudo modprobe option && ' +
  `echo ${id.replace(':', ' ')} | sudo tee /sys/bus/usb-serial/drivers/option1/new_id`
