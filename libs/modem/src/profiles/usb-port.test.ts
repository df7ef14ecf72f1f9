import { expect, test } from 'vitest'
import { catalogue } from './catalogue.ts'
import { roleOfUsbPort } from './usb-port.ts'

const rules = catalogue.flatMap((profile) => profile.usb)

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
  ['SIMCom SIM7600', '1e0e:9001', 'ff/00/00', ['diagnostic', 'nmea', 'at', 'at-secondary', 'audio']],
])('the ports of %s', (_, id, interfaceClass, roles) => {
  const role = (interfaceNumber: number) => roleOfUsbPort(rules, { id, interfaceNumber, interfaceClass })?.role ?? ''
  expect(roles.map((_role, number) => role(number))).toEqual(roles)
})

test('the class of a Huawei port takes precedence over its number', () => {
  const port = { id: '12d1:140c', interfaceNumber: 3, interfaceClass: 'ff/01/01' }
  expect(roleOfUsbPort(rules, port)?.role).toBe('ppp')
})
