import { expect, test } from 'vitest'
import { readResponseLine } from './response-line.ts'

test.each([
  ['+CSQ: 20,99', '+CSQ', '20,99'],
  ['+CPIN:READY', '+CPIN', 'READY'],
  ['+CPIN READY', '+CPIN', 'READY'],
  ['+cpin: READY', '+CPIN', 'READY'],
  ['^BOOT:123,0,0', '^BOOT', '123,0,0'],
  ['#STN: 37', '#STN', '37'],
  ['*PSUTTZ: 2026,3,1', '*PSUTTZ', '2026,3,1'],
  ['_OSIGQ: 3,0', '_OSIGQ', '3,0'],
  ['!STKC: 21', '!STKC', '21'],
  ['+C5GREG: 1', '+C5GREG', '1'],
  ['+CNMI:(0-3),(0,1)', '+CNMI', '(0-3),(0,1)'],
  ['+PBREADY', '+PBREADY', ''],
  ['+CMT:', '+CMT', ''],
])('splits %s at its prefix', (text, prefix, body) => {
  expect(readResponseLine(text)).toEqual({ text, prefix, body, payload: undefined })
})

test.each(['RDY', 'SMS Ready', '+447911123456', '07911326040000F0', 'Manufacturer: huawei', '+', '', '"quoted"'])(
  'finds no prefix in %j',
  (text) => {
    expect(readResponseLine(text)).toEqual({ text, prefix: '', body: text, payload: undefined })
  },
)
