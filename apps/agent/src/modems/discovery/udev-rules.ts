import { userCommand } from '@smsgw/daemon/user-command'
import type { Place, PlaceOnUsb } from './find-places.ts'

/** Returns the command that makes ModemManager ignore the modems that this installation uses. */
export function ignoreModemsCommand(): string {
  const print = userCommand('agent', 'udev-rules')
  if (print.startsWith('sudo smsgw')) return 'sudo smsgw ignore-modems'
  // Without --silent, npm also prints its own lines.
  return `${print.replace('npm run', 'npm run --silent')} | sudo tee /etc/udev/rules.d/70-smsgw.rules && sudo udevadm control --reload`
}

/**
 * Returns udev rules for the USB modems among these places, and for no other device: ModemManager ignores them, and they are
 * not suspended, because a suspended modem does not announce messages. A modem without a usable serial number is recognised
 * by its model and socket.
 */
export function udevRules(places: readonly Place[]): string {
  const devices = places.flatMap(({ usb }) => usb ?? [])
  if (devices.length === 0) return '# No USB modem found: plug the modems in and create this file again.\n'
  return [
    '# Modems of the SMS gateway: ModemManager ignores them, and they are not suspended. Delete this file to remove the rules.',
    ...devices.flatMap((device) => ['', `# ${device.id} at ${device.path}`, ruleFor(device)]),
    '',
  ].join('\n')
}

function ruleFor({ id, path, serial }: PlaceOnUsb): string {
  const [vendor = '', product = ''] = id.split(':')
  return [
    'ACTION!="remove"',
    'SUBSYSTEM=="usb"',
    'ENV{DEVTYPE}=="usb_device"',
    `ATTR{idVendor}=="${vendor}"`,
    `ATTR{idProduct}=="${product}"`,
    // Other characters could have a special meaning in a pattern.
    serial !== undefined && /^[\w.:-]+$/.test(serial) ? `ATTR{serial}=="${serial}"` : `KERNEL=="${path}"`,
    'ENV{ID_MM_DEVICE_IGNORE}="1"',
    'TEST=="power/control", ATTR{power/control}="on"',
  ].join(', ')
}

/**
 * The file about a USB device in udev's database. The device has the major number 189, and its minor number follows from its bus
 * and device number.
 */
export function udevRecord({ session }: PlaceOnUsb, run = '/run'): string {
  const [bus = 0, device = 0] = session.split(':').map(Number)
  return `${run}/udev/data/c189:${(bus - 1) * 128 + device - 1}`
}
