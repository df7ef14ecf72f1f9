import { hexFromOctets } from '@smsgw/sms/octets'
import { ucs2FromText } from '@smsgw/sms/text/ucs2'
import { packUssd } from '@smsgw/sms/ussd'
import { describe, expect, test } from 'vitest'
import { readResponseLine } from '../../wire/response-line.ts'
import { sendUssd, ussdAnswerIn } from './ussd.ts'
import type { UssdEncoding } from './ussd-text.ts'

const packed = (text: string) => hexFromOctets(packUssd(text) ?? new Uint8Array())
const ucs2 = (text: string) => hexFromOctets(ucs2FromText(text))
const octets = (text: string) => hexFromOctets(Uint8Array.from(text, (char) => char.charCodeAt(0)))

const read = (body: string, usual: UssdEncoding = 'plain') =>
  ussdAnswerIn(readResponseLine(`+CUSD: ${body}`), usual)?.text

const greeting = 'Your balance is $3.20. Thank you for calling!'
const menu = 'Меню: 1 баланс, 2 тарифы'

describe('the text of an answer is readable with any scheme', () => {
  for (const scheme of ['0', '15', '17', '72']) {
    for (const usual of ['plain', 'packed-hex', 'ucs2-hex'] as const) {
      test(`reads scheme ${scheme} of a modem that usually sends ${usual}`, () => {
        expect(read(`0,"${greeting}",${scheme}`, usual)).toBe(greeting)
        expect(read(`0,"${ucs2(greeting)}",${scheme}`, usual)).toBe(greeting)
        expect(read(`0,"${ucs2(menu)}",${scheme}`, usual)).toBe(menu)
        expect(read(`0,"${packed(greeting)}",${scheme}`, usual)).toBe(greeting)
        expect(read(`0,"${octets(greeting)}",${scheme}`, usual)).toBe(greeting)
      })
    }
  }
  test('reads a text without a scheme', () => expect(read(`0,"${packed(greeting)}"`, 'packed-hex')).toBe(greeting))
  test('reads a number as a number', () => expect(read('0,"1234",15')).toBe('1234'))
  test('reads Arabic in UCS-2', () => {
    expect(read(`0,"${ucs2('رصيدك الحالي هو ١٢ ريال')}",72`)).toBe('رصيدك الحالي هو ١٢ ريال')
  })
})

test('reads hexadecimal digits without quotes, after a blank', () => {
  expect(read(`0, ${ucs2(greeting)}`)).toBe(greeting)
  expect(read(`0, ${packed(greeting)}, 15`, 'packed-hex')).toBe(greeting)
})

test('keeps quotes and commas in the text', () => {
  expect(read('1,"Reply "1", or "2", please",15')).toBe('Reply "1", or "2", please')
})

test('keeps the line ends of a text with several lines', () => {
  expect(read('1,"1 Balance\n2 Packages\n0 Back",15')).toBe('1 Balance\n2 Packages\n0 Back')
})

test.each([
  [0, 'answered'],
  [1, 'asks'],
  [2, 'ended-by-network'],
  [3, 'other-client-answered'],
  [4, 'not-supported'],
  [5, 'network-timeout'],
])('reads status %i as %s', (status, words) => {
  expect(ussdAnswerIn(readResponseLine(`+CUSD: ${status}`), 'plain')).toEqual({ status: words, text: undefined })
})

test('writes the digits of a request in the form of the firmware', () => {
  expect(sendUssd('*100#', 'plain')?.text).toBe('AT+CUSD=1,"*100#",15')
  expect(sendUssd('*100#', 'packed-hex')?.text).toBe('AT+CUSD=1,"AA180C3602",15')
  expect(sendUssd('*100#', 'ucs2-hex')?.text).toBe('AT+CUSD=1,"002A0031003000300023",15')
})

test('pads a packed request of seven characters with CR, because zeros would be read as @', () => {
  expect(sendUssd('*100*1#', 'packed-hex')?.text).toBe('AT+CUSD=1,"AA180CA68A8D1A",15')
})

test.each(['1"', '1\rAT+CMGD=1,4', '1\n', '1\x1a', '1\x1b', '1\x00', '\u010d1', '1\x7f', '1\u0085'])(
  'the text %j cannot add a command in any encoding',
  (text) => {
    expect(sendUssd(text, 'plain')).toBeUndefined()
    for (const encoding of ['packed-hex', 'ucs2-hex'] as const) {
      expect(sendUssd(text, encoding)?.text ?? 'AT+CUSD=1,"",15').toMatch(/^AT\+CUSD=1,"[0-9A-F]*",15$/)
    }
  },
)
