import { basename } from 'node:path'
import { userCommand } from '@smsgw/daemon/user-command'
import type { ModemSite, PlaceOnUsb } from './find-places.ts'
import type { UsbDevice } from './usb-bus.ts'

/** Returns the command that makes ModemManager ignore the modems that this installation uses. */
export function ignoreModemsCommand(): string {
  return installCommand('udev-rules', 'sudo smsgw ignore-modems')
}

/** Returns the command that makes ModemManager leave one command port of each modem to this installation. */
export function shareModemsCommand(): string {
  return installCommand('udev-rules --share', 'sudo smsgw modem adopt')
}

/** Returns the command as a fix runs it, after the person at the terminal has agreed. */
export function withoutQuestion(command: string): string {
  return command.startsWith('sudo smsgw') ? `${command} --yes` : command
}

function installCommand(printRules: string, ofPackage: string): string {
  const print = userCommand('agent', printRules)
  if (print.startsWith('sudo smsgw')) return ofPackage
  // Without --silent, npm also prints its own lines.
  return `${print.replace('npm run', 'npm run --silent')} | sudo tee /etc/udev/rules.d/70-smsgw.rules && sudo udevadm control --reload`
}

/**
 * Returns udev rules for the USB modems among these places, and for no other device. With these rules, ModemManager
 * ignores the modems, and the modems are not suspended, because a suspended modem does not announce messages. A modem
 * without a usable serial number is recognised by its model and socket.
 */
export function udevRules(places: readonly ModemSite[]): string {
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
    keepAwake,
  ].join(', ')
}

/**
 * Returns udev rules for modems that ModemManager shares with the agent: ModemManager ignores the last command port
 * of each modem. A modem that is not shared yet gets no rule if it has only one command port.
 */
export function shareRules(places: readonly ModemSite[], bus: readonly UsbDevice[]): string {
  const rules: string[] = []
  for (const { usb, commandPorts = [], isShared } of places) {
    const port = commandPorts.length > 1 || isShared ? commandPorts.at(-1) : undefined
    const device = bus.find(({ path }) => path === usb?.path)
    const own = device?.interfaces.find(({ ttys }) => port !== undefined && ttys.includes(basename(port)))
    if (usb === undefined || own === undefined) continue
    rules.push('', `# ${usb.id} at ${usb.path}: the gateway uses interface ${own.number}`)
    rules.push(shareRule(usb, own.number), `ACTION!="remove", SUBSYSTEM=="usb", KERNEL=="${usb.path}", ${keepAwake}`)
  }
  if (rules.length === 0) return '# No USB modem with two command ports found: such a modem cannot be shared.\n'
  return [
    '# Modems that the SMS gateway shares with ModemManager: ModemManager ignores one command port of each, and the modems are',
    '# not suspended. Delete this file to remove the rules.',
    ...rules,
    '',
  ].join('\n')
}

function shareRule({ id, path }: PlaceOnUsb, interfaceNumber: number): string {
  const [vendor = '', product = ''] = id.split(':')
  return [
    'ACTION!="remove"',
    'SUBSYSTEM=="tty"',
    'SUBSYSTEMS=="usb"',
    `KERNELS=="${path}"`,
    `ATTRS{idVendor}=="${vendor}"`,
    `ATTRS{idProduct}=="${product}"`,
    `ENV{ID_USB_INTERFACE_NUM}=="${interfaceNumber.toString(16).padStart(2, '0')}"`,
    'ENV{ID_MM_PORT_IGNORE}="1"',
  ].join(', ')
}

const keepAwake = 'TEST=="power/control", ATTR{power/control}="on"'

/**
 * The file about a USB device in udev's database. The device has the major number 189, and its minor number follows
 * from its bus and device number.
 */
export function udevRecord({ session }: PlaceOnUsb, records = '/run/udev/data'): string {
  const [bus = 0, device = 0] = session.split(':').map(Number)
  return `${records}/c189:${(bus - 1) * 128 + device - 1}`
}
