import { expect, test } from 'vitest'
import { catalogue } from './catalogue.ts'
import { layoutRules, usbLayouts } from './usb-layouts.ts'
import { roleOfUsbPort } from './usb-port.ts'

const rules = [...layoutRules, ...catalogue.flatMap((profile) => profile.usb)]

// Layouts from the manufacturers' drivers, as in the rules of ModemManager and the table of chan_dongle.
test.each([
  ['ZTE MF190', '19d2:0117', 'ff/ff/ff', ['', 'at-secondary', 'at']],
  ['ZTE MF626', '19d2:0031', 'ff/ff/ff', ['', 'at-secondary', '', 'at']],
  ['ZTE MF110', '19d2:0124', 'ff/ff/ff', ['', 'at-secondary', '', '', 'at']],
  ['Huawei E1550', '12d1:1001', 'ff/ff/ff', ['', '', 'at']],
  ['Huawei E17xx', '12d1:140c', 'ff/ff/ff', ['', '', '', 'at']],
  ['Telit HE910', '1bc7:0021', '02/02/01', ['at', '', '', '', '', '', 'at-secondary']],
  ['Telit UC864-G', '1bc7:1004', 'ff/ff/ff', ['at', '', 'nmea', 'at-secondary']],
  ['u-blox LARA-R2', '1546:110a', '02/02/01', ['at', 'diagnostic', 'at-secondary', 'diagnostic', 'at-secondary']],
  ['Fibocom FM150', '2cb7:0104', 'ff/00/00', ['diagnostic', 'at', 'at-secondary', 'diagnostic']],
  ['Fibocom L610', '1782:4d11', 'ff/00/00', ['diagnostic', 'diagnostic', 'at', 'diagnostic']],
  ['Quectel EM060K', '2c7c:0128', 'ff/00/00', ['diagnostic', 'diagnostic', 'diagnostic', 'diagnostic', 'nmea', 'at']],
  ['another Quectel modem, by class', '2c7c:0122', 'ff/ff/40', ['at', 'at', 'at']],
  ['MediaTek', '0e8d:00a5', 'ff/02/01', ['', '', 'at', 'at-secondary']],
  ['Rolling Wireless RW101', '33f8:0104', 'ff/00/00', ['diagnostic', 'at', 'at-secondary', 'nmea']],
  ['NetPrisma LCUK54', '3731:0100', 'ff/00/00', ['', '', '', 'diagnostic', 'nmea', 'at']],
  ['Dell DW5821e', '413c:81d7', 'ff/00/00', ['', '', 'at', 'at-secondary', 'nmea', 'diagnostic']],
  ['SIMCom SIM7600', '1e0e:9001', 'ff/00/00', ['diagnostic', 'nmea', 'at', 'at-secondary', 'audio']],
])('assigns a role to each port of %s', (_, id, interfaceClass, roles) => {
  const role = (interfaceNumber: number) => roleOfUsbPort(rules, { id, interfaceNumber, interfaceClass })?.role ?? ''
  expect(roles.map((_role, number) => role(number))).toEqual(roles)
})

test('the class of a Huawei port takes precedence over its number', () => {
  const port = { id: '12d1:140c', interfaceNumber: 3, interfaceClass: 'ff/01/01' }
  expect(roleOfUsbPort(rules, port)?.role).toBe('ppp')
})

test('no product is listed twice, and each product has one command port', () => {
  const ids = usbLayouts.flatMap((layout) => layout.ids)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{4}:[0-9a-f]{4}$/)
  for (const { ports } of usbLayouts) {
    expect(ports.filter(({ role }) => role === 'at')).toHaveLength(1)
    const numbers = ports.map(({ interfaceNumber }) => interfaceNumber)
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(Math.max(...numbers)).toBeLessThan(16)
  }
})
