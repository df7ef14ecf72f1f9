import { describe, expect, test } from 'vitest'
import type { ModemSite } from './find-places.ts'
import { shareRules, udevRecord, udevRules } from './udev-rules.ts'

const place = (usb: ModemSite['usb']): ModemSite => ({
  key: `usb:${usb?.path}`,
  ports: ['/dev/ttyUSB2'],
  isPresent: true,
  isHidden: false,
  isCertain: true,
  usb,
})
const stick = { id: '12d1:1506', path: '1-1.4', serial: undefined, session: '1:23' }
const ec25 = { id: '2c7c:0125', path: '1-1.2', serial: '0A1B-2c', session: '1:24' }

test('names each modem by its serial number or by its socket, and never a whole vendor or model', () => {
  const rules = lines(udevRules([place(ec25), place(stick), place(undefined)]))
  expect(rules).toHaveLength(2)
  expect(rules[0]).toContain('ATTR{idVendor}=="2c7c", ATTR{idProduct}=="0125", ATTR{serial}=="0A1B-2c", ')
  expect(rules[1]).toContain('ATTR{idVendor}=="12d1", ATTR{idProduct}=="1506", KERNEL=="1-1.4", ')
})

test('a serial number with characters of a pattern does not match other modems', () => {
  for (const serial of ['*', '', '0"1', 'a|b', '[0-9]'])
    expect(lines(udevRules([place({ ...ec25, serial })]))[0]).toContain('KERNEL=="1-1.2"')
})

test('without a USB modem there is no rule', () => {
  expect(lines(udevRules([place(undefined)]))).toEqual([])
})

test('each rule consists of valid udev conditions and assignments', () => {
  const term = /^(?:(?:ACTION|SUBSYSTEM|KERNEL|ENV\{\w+\}|ATTR\{[\w/]+\}|TEST)(?:==|!=|=))"[^"]*"$/
  const rules = lines(udevRules([place(ec25), place(stick)]))
  expect(rules.flatMap((line) => line.split(', ')).filter((part) => !term.test(part))).toEqual([])
})

describe('rules that share a modem', () => {
  const usb = (number: number, tty: string) => ({
    number,
    class: 'ff/00/00',
    driver: 'option',
    ttys: [tty],
    networks: [],
  })
  const bus = [
    { ...ec25, product: undefined, interfaces: [usb(2, 'ttyUSB2'), usb(3, 'ttyUSB3')] },
    { ...stick, product: undefined, interfaces: [usb(0, 'ttyUSB4')] },
  ]
  const ports = (...names: string[]) => names.map((name) => `/dev/${name}`)

  test('rules that share a modem make ModemManager ignore the second command port, and nothing else', () => {
    const shared = { ...place(ec25), commandPorts: ports('ttyUSB2', 'ttyUSB3') }
    const rules = lines(shareRules([shared], bus))
    expect(rules.filter((rule) => rule.includes('ID_MM'))).toEqual([
      'ACTION!="remove", SUBSYSTEM=="tty", SUBSYSTEMS=="usb", KERNELS=="1-1.2", ATTRS{idVendor}=="2c7c", ATTRS{idProduct}=="0125", ENV{ID_USB_INTERFACE_NUM}=="03", ENV{ID_MM_PORT_IGNORE}="1"',
    ])
    expect(rules[1]).toBe(
      'ACTION!="remove", SUBSYSTEM=="usb", KERNEL=="1-1.2", TEST=="power/control", ATTR{power/control}="on"',
    )
  })

  test('rules that share a modem do not change after the modem is shared', () => {
    const before = shareRules([{ ...place(ec25), commandPorts: ports('ttyUSB2', 'ttyUSB3') }], bus)
    const after = { ...place(ec25), commandPorts: ports('ttyUSB3'), isShared: true }
    expect(shareRules([after], bus)).toBe(before)
  })

  test('rules that share a modem leave out a modem with one command port', () => {
    expect(lines(shareRules([{ ...place(stick), commandPorts: ports('ttyUSB4') }, place(undefined)], bus))).toEqual([])
  })
})

test('finds the record of a device in the database of udev', () => {
  expect(udevRecord(stick)).toBe('/run/udev/data/c189:22')
  expect(udevRecord({ ...stick, session: '3:5' })).toBe('/run/udev/data/c189:260')
})

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}
