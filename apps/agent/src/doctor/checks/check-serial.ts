import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type CodedFinding, failFinding, warnFinding } from '../finding.ts'
import { readText } from './check-machine.ts'

export interface SerialFolders {
  readonly devices: string
  readonly proc: string
  readonly boot: string
}

const thisMachine: SerialFolders = { devices: '/dev', proc: '/proc', boot: '/boot' }

/**
 * Checks one port of MODEMS. A USB port must have a permanent name. A port of a Raspberry Pi must lead to the GPIO pins
 * and have no login console.
 */
export function checkSerialPort(address: string, machine: SerialFolders = thisMachine): readonly CodedFinding[] {
  const tty = ttyBehind(address)
  if (/^tty(?:USB|ACM)\d+$/.test(basename(address))) return lastingName(address, machine)
  const isPi = readText(join(machine.proc, 'device-tree/model'))?.startsWith('Raspberry Pi') ?? false
  if (tty === undefined) return isPi && isGpioPort(address) ? [portOff(address)] : []
  const wrongPort = isPi ? wrongGpioPort(address, tty, machine) : undefined
  return wrongPort === undefined ? consoleOn(address, tty, machine) : [wrongPort]
}

/**
 * Returns true for a port on the GPIO pins or on the board. A modem there has no USB plug, and may have to be switched
 * on with its PWRKEY pin.
 */
export function isGpioPort(address: string): boolean {
  return /^(?:serial\d|tty(?:AMA|S)\d+)$/.test(basename(address))
}

function portOff(address: string): CodedFinding {
  const command = 'sudo raspi-config nonint do_serial_hw 0 && sudo reboot'
  return failFinding(`port ${address}`, 'the serial port on the GPIO pins is switched off', command, {
    code: 'port.gpio-off',
    values: { port: address },
    commands: [command],
  })
}

/**
 * Checks that the port is not the port of the Bluetooth chip. Raspberry Pi OS links the port on the GPIO pins as
 * serial0, and the port of the Bluetooth chip as serial1.
 */
function wrongGpioPort(address: string, tty: string, { devices }: SerialFolders): CodedFinding | undefined {
  const [gpio, bluetooth] = ['serial0', 'serial1'].map((name) => ttyBehind(join(devices, name)))
  if (tty === bluetooth && tty !== gpio) {
    return failFinding(
      `port ${address}`,
      `${tty} belongs to the Bluetooth chip, not to the GPIO pins`,
      gpio === undefined
        ? 'sudo raspi-config nonint do_serial_hw 0 && sudo reboot, then set MODEMS=/dev/serial0'
        : 'set MODEMS=/dev/serial0, the port on the GPIO pins',
      {
        code: 'port.bluetooth',
        values: { port: address },
        ...(gpio === undefined && { commands: ['sudo raspi-config nonint do_serial_hw 0 && sudo reboot'] }),
      },
    )
  }
  if (tty !== 'ttyAMA10') return undefined
  return failFinding(
    `port ${address}`,
    `${tty} is the debug connector between the HDMI ports of a Pi 5, not a port on the GPIO pins`,
    'add dtparam=uart0=on to /boot/firmware/config.txt, reboot, and set MODEMS=/dev/ttyAMA0',
    { code: 'port.debug', values: { port: address } },
  )
}

/** Finds a console on the port. A console would write kernel messages and login prompts to the modem. */
function consoleOn(address: string, tty: string, { proc, boot }: SerialFolders): readonly CodedFinding[] {
  const running = readText(join(proc, 'cmdline')) ?? ''
  if (!consolesIn(running).includes(tty)) return []
  const file = ['firmware/cmdline.txt', 'cmdline.txt'].map((name) => join(boot, name)).find((path) => existsSync(path))
  const next =
    file === undefined ? [] : consolesIn(readText(file) ?? '').filter((name) => name === tty || /^serial/.test(name))
  const advice =
    file === undefined
      ? `remove console=${tty} from the kernel command line, then reboot`
      : next.length === 0
        ? 'the console is already switched off for the next start: sudo reboot'
        : `sudo raspi-config nonint do_serial_cons 1 && sudo reboot, or remove console=${next[0]} from ${file} and reboot`
  const text = `Linux uses ${tty} as a console and writes its messages into the modem`
  const commands = ['sudo raspi-config nonint do_serial_cons 1', 'sudo reboot']
  return [failFinding(`port ${address}`, text, advice, { code: 'port.console', values: { port: address }, commands })]
}

/** Returns the device names in a text such as `console=serial0,115200 console=tty1`. */
function consolesIn(line: string): string[] {
  return [...line.matchAll(/(?:^|\s)console=([^\s,]+)/g)].map(([, name = '']) => name)
}

/**
 * Suggests a permanent name. A name such as ttyUSB2 may belong to another port after the modem was plugged in again.
 */
function lastingName(address: string, { devices }: SerialFolders): readonly CodedFinding[] {
  const tty = ttyBehind(address)
  const links = ['by-id', 'by-path'].flatMap((folder) => entriesOf(join(devices, 'serial', folder)))
  const link = tty === undefined ? undefined : links.find((path) => ttyBehind(path) === tty)
  if (link === undefined) return []
  return [
    warnFinding(
      `port ${address}`,
      'this name may change when the modem is plugged in again',
      `set MODEMS=${link}, a name that stays the same`,
      { code: 'port.renamed', values: { port: address, link } },
    ),
  ]
}

function entriesOf(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
}

/** Follows links such as `/dev/serial0` to `ttyS0`. Returns undefined if the port does not exist. */
function ttyBehind(path: string): string | undefined {
  return existsSync(path) ? basename(realpathSync(path)) : undefined
}
