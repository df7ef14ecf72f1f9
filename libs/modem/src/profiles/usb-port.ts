/** One interface of a USB device, as the kernel describes it. */
export interface UsbInterface {
  /** `12d1:1506` */
  readonly id: string
  readonly interfaceNumber: number
  /** `ff/02/01`: class, subclass, protocol in hexadecimal. */
  readonly interfaceClass: string | undefined
}

export type UsbPortRole =
  /** The port takes commands and reports incoming messages. */
  | 'at'
  /** The port takes commands, but may not send unsolicited codes. */
  | 'at-secondary'
  /** The port is for dial-up: it takes commands, but does not report messages. */
  | 'ppp'
  | 'diagnostic'
  | 'nmea'
  | 'audio'
  /** The port cannot be used; `words` gives the reason. */
  | 'not-a-modem'

export interface UsbRule {
  /** `12d1:1506`, or `12d1` for any product of the vendor. */
  readonly ids: readonly string[]
  readonly interfaceNumber?: number
  readonly interfaceClass?: RegExp
  readonly role: UsbPortRole
  readonly source: UsbSource
  /** A description of the problem and its solution, for people. */
  readonly words?: string
}

/**
 * Where a fact about a USB device comes from: the udev rules of ModemManager, the kernel's driver `option`, the
 * configuration of usb_modeswitch, a manual of the maker, or reports of users.
 */
export type UsbSource = 'ModemManager' | 'kernel' | 'usb_modeswitch' | 'manual' | 'reports'

export const fitsUsbId = (pattern: string, id: string): boolean =>
  pattern === id || (!pattern.includes(':') && id.startsWith(`${pattern}:`))

/**
 * Returns the role of a port from the first matching rule. Undefined means that the role is unknown: the caller must
 * test the port with `AT`.
 */
export function roleOfUsbPort(rules: readonly UsbRule[], port: UsbInterface): UsbRule | undefined {
  return rules.find(
    (rule) =>
      rule.ids.some((id) => fitsUsbId(id, port.id)) &&
      (rule.interfaceNumber === undefined || rule.interfaceNumber === port.interfaceNumber) &&
      (rule.interfaceClass === undefined || rule.interfaceClass.test(port.interfaceClass ?? '')),
  )
}
