import type { UsbSource } from './usb-port.ts'

/**
 * Sticks that start as a disk and are not in the configuration of usb_modeswitch (usb-modeswitch-data 20251207). All
 * other sticks are switched by the rules of that package. `npm run oracle --workspace @smsgw/modem` reports a stick
 * that a later version of the package lists.
 */
export const modeSwitches: readonly ModeSwitch[] = [
  { id: '3566:2001', name: 'Brovi E3372-325', option: '-X', source: 'reports' },
]

export interface ModeSwitch {
  /** The USB id before the switch. */
  readonly id: string
  readonly name: string
  /** The option of usb_modeswitch that selects the kind of message. */
  readonly option: string
  readonly source: UsbSource
}

/**
 * Returns the command that switches a stick which the rules of usb_modeswitch do not switch; undefined for all other
 * sticks.
 */
export function modeSwitchCommand(id: string): readonly string[] | undefined {
  const found = modeSwitches.find((each) => each.id === id)
  return found && ['usb_modeswitch', '-v', id.slice(0, 4), '-p', id.slice(5), found.option]
}
