import type { UsbDevice } from './usb-bus.ts'
import { certain, isOfModemVendor, isSerialAdapter, likely, refusalOf, scoreOf } from './usb-fingerprints.ts'

export type Judgement =
  /** `ttys`: where commands may be taken, the best first. `isCertain`: it is a modem, though it may not answer now. */
  | { readonly kind: 'modem'; readonly ttys: readonly string[]; readonly isCertain: boolean }
  /** It could be one, and cannot be used as it is. */
  | { readonly kind: 'unusable'; readonly words: string }
  | { readonly kind: 'other' }

/** What a device is to us, by what the bus tells of it. */
export function judgeDevice(device: UsbDevice): Judgement {
  const ports = device.interfaces
    .flatMap((each) => each.ttys.map((tty) => ({ tty, number: each.number, score: scoreOf(device, each) })))
    .filter(({ score }) => score >= likely)
    .sort((a, b) => b.score - a.score || a.number - b.number)
  if (ports[0] !== undefined) {
    return { kind: 'modem', ttys: ports.map(({ tty }) => tty), isCertain: ports[0].score >= certain }
  }
  const words = whyUnusable(device)
  if (words === undefined) return { kind: 'other' }
  return { kind: 'unusable', words: `${nameOf(device)}: ${words}` }
}

function nameOf({ id, path, product }: UsbDevice): string {
  return `USB device ${id} at ${path}${product === undefined ? '' : ` (${product.slice(0, 40)})`}`
}

function whyUnusable({ id, interfaces }: UsbDevice): string | undefined {
  const ttys = interfaces.flatMap((each) => each.ttys)
  if (isSerialAdapter(id)) {
    if (ttys.length === 0) return undefined
    return (
      'a serial adapter, which is not tried by itself: something else than a modem may be behind it. ' +
      `If it is a modem, name its port: MODEMS=/dev/${ttys[0]}`
    )
  }
  if (!isOfModemVendor(id) || interfaces.length === 0) return undefined
  if (interfaces.every((each) => isDisk(each.class))) return storageMode
  const refusal = refusalOf(id)
  if (refusal !== undefined) return refusal
  if (ttys.length > 0) return `none of its ports (${ttys.join(', ')}) takes commands; if one does, name it in MODEMS`
  if (interfaces.some(({ driver }) => driver === 'cdc_mbim' || driver === 'qmi_wwan')) return packetsOnly
  if (interfaces.some((each) => isNetworkCard(each.class))) return networkCard
  if (interfaces.some((each) => each.class.startsWith('ff/') && each.driver === undefined)) return noDriver(id)
  return undefined
}

const isDisk = (interfaceClass: string): boolean => interfaceClass.startsWith('08/')

/** CDC Ethernet, EEM and NCM; RNDIS as Microsoft and as others spell it. */
const isNetworkCard = (interfaceClass: string): boolean =>
  /^02\/(06|0c|0d)\/|^e0\/01\/03$|^ef\/04\/01$|^02\/02\/ff$/.test(interfaceClass)

const storageMode =
  'it shows itself as a disk with drivers for Windows, not as a modem. ' +
  'Install the package usb-modeswitch, then plug it in anew.'

const networkCard =
  'it works as a network card with a web page of its own (HiLink and the like) and has no port for commands. ' +
  'Switch it to modem mode, or install stick firmware; if neither exists for it, use another modem.'

const packetsOnly =
  'it is in a USB mode for data alone (MBIM or QMI) and has no port for commands. ' +
  'Switch it to a mode with serial ports; its manual names the command.'

const noDriver = (id: string): string =>
  'the kernel has no driver for its ports. If it is a modem: sudo modprobe option && ' +
  `echo ${id.replace(':', ' ')} | sudo tee /sys/bus/usb-serial/drivers/option1/new_id`
