/** One interface of a USB device, as the kernel describes it. */
export interface UsbInterface {
  /** `12d1:1506` */
  readonly id: string
  readonly interfaceNumber: number
  /** `ff/02/01`: class, subclass, protocol in hexadecimal. */
  readonly interfaceClass: string | undefined
}

export type UsbPortRole =
  /** Takes commands and tells what arrives. */
  | 'at'
  /** Takes commands; unsolicited codes may be missing. */
  | 'at-secondary'
  /** For dialling in; takes commands, stays silent about messages. */
  | 'ppp'
  | 'diagnostic'
  | 'nmea'
  | 'audio'
  /** No modem as we need it: see the words. */
  | 'not-a-modem'

export interface UsbRule {
  /** `12d1:1506`, or `12d1` for any product of the vendor. */
  readonly ids: readonly string[]
  readonly interfaceNumber?: number
  readonly interfaceClass?: RegExp
  readonly role: UsbPortRole
  /** For people: what is wrong with it and what to do. */
  readonly words?: string
}

export const fitsUsbId = (pattern: string, id: string): boolean =>
  pattern === id || (!pattern.includes(':') && id.startsWith(`${pattern}:`))

/** What the port is for; the first rule that fits. Undefined: unknown, it has to be tried with `AT`. */
export function roleOfUsbPort(rules: readonly UsbRule[], port: UsbInterface): UsbRule | undefined {
  return rules.find(
    (rule) =>
      rule.ids.some((id) => fitsUsbId(id, port.id)) &&
      (rule.interfaceNumber === undefined || rule.interfaceNumber === port.interfaceNumber) &&
      (rule.interfaceClass === undefined || rule.interfaceClass.test(port.interfaceClass ?? '')),
  )
}
