import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkSerialPort, type SerialFolders } from './check-serial.ts'

let folder: string
let machine: SerialFolders

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-serial-'))
  machine = { devices: join(folder, 'dev'), proc: join(folder, 'proc'), boot: join(folder, 'boot') }
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('refuses the Bluetooth port of a Pi 4, and names the port on the GPIO pins', () => {
  pi('Raspberry Pi 4 Model B Rev 1.4', { serial0: 'ttyS0', serial1: 'ttyAMA0' })
  expect(check('ttyAMA0')).toEqual([
    {
      level: 'fail',
      subject: `port ${folder}/dev/ttyAMA0`,
      text: 'ttyAMA0 belongs to the Bluetooth chip, not to the GPIO pins',
      advice: 'set MODEMS=/dev/serial0, the port on the GPIO pins',
      meaning: { code: 'port.bluetooth', values: { port: `${folder}/dev/ttyAMA0` } },
    },
  ])
  expect(check('serial0')).toEqual([])
  expect(check('ttyS0')).toEqual([])
})

test('accepts ttyAMA0 on a Pi 5 and on a Pi whose Bluetooth is off', () => {
  pi('Raspberry Pi 5 Model B Rev 1.0', { serial0: 'ttyAMA0' })
  expect(check('ttyAMA0')).toEqual([])
})

test('refuses the debug connector of a Pi 5, which is not the port on the GPIO pins', () => {
  pi('Raspberry Pi 5 Model B Rev 1.0', { serial0: 'ttyAMA10' })
  expect(check('serial0')).toMatchObject([{ level: 'fail', advice: expect.stringContaining('dtparam=uart0=on') }])
})

test('shows how to switch on a port that is switched off', () => {
  pi('Raspberry Pi Zero 2 W Rev 1.0', { serial1: 'ttyAMA0' })
  expect(check('serial0')).toMatchObject([{ level: 'fail', advice: expect.stringContaining('do_serial_hw 0') }])
  expect(check('ttyAMA0')).toMatchObject([{ level: 'fail', advice: expect.stringContaining('do_serial_hw 0') }])
})

test('finds a serial console, even if it is already disabled for the next start', () => {
  pi('Raspberry Pi 4 Model B Rev 1.4', { serial0: 'ttyS0', serial1: 'ttyAMA0' })
  write('proc/cmdline', 'coherent_pool=1M console=ttyS0,115200 console=tty1 root=PARTUUID=1-02')
  expect(check('serial0')).toMatchObject([
    { level: 'fail', advice: 'remove console=ttyS0 from the kernel command line, then reboot' },
  ])
  write('boot/firmware/cmdline.txt', 'console=serial0,115200 console=tty1 root=PARTUUID=1-02')
  expect(check('serial0')).toMatchObject([
    {
      level: 'fail',
      text: 'Linux uses ttyS0 as a console and writes its messages into the modem',
      advice:
        'sudo raspi-config nonint do_serial_cons 1 && sudo reboot, or remove console=serial0 from ' +
        `${folder}/boot/firmware/cmdline.txt and reboot`,
    },
  ])
  write('boot/firmware/cmdline.txt', 'console=tty1 root=PARTUUID=1-02')
  expect(check('serial0')).toMatchObject([
    { advice: 'the console is already switched off for the next start: sudo reboot' },
  ])
  write('proc/cmdline', 'console=tty1')
  expect(check('serial0')).toEqual([])
})

test('suggests a permanent name for a USB port: by its id, otherwise by its socket', () => {
  device('ttyUSB2')
  device('ttyUSB3')
  expect(check('ttyUSB2')).toEqual([])
  link('serial/by-id/usb-Quectel_EG25-G-if02-port0', 'ttyUSB2')
  link('serial/by-path/platform-xhci-usb-0:1.3:1.0-port0', 'ttyUSB3')
  const byId = join(machine.devices, 'serial/by-id/usb-Quectel_EG25-G-if02-port0')
  expect(check('ttyUSB2')).toMatchObject([{ level: 'warn', advice: `set MODEMS=${byId}, a name that stays the same` }])
  expect(check('ttyUSB3')).toMatchObject([{ level: 'warn', advice: expect.stringContaining('by-path/platform-xhci') }])
  expect(checkSerialPort(byId, machine)).toEqual([])
  expect(checkSerialPort('tcp://192.168.1.5:7000', machine)).toEqual([])
})

function check(name: string) {
  return checkSerialPort(join(machine.devices, name), machine)
}

function pi(model: string, links: Readonly<Record<string, string>>): void {
  write('proc/device-tree/model', `${model}\0`)
  for (const [name, tty] of Object.entries(links)) {
    device(tty)
    link(name, tty)
  }
}

function device(tty: string): void {
  write(`dev/${tty}`, '')
}

function link(name: string, tty: string): void {
  const path = join(machine.devices, name)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(join(machine.devices, tty), path)
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
