import { septetsFromText } from '@smsgw/sms/text/gsm7-alphabet'
import { expect, test } from 'vitest'
import { receiptExcerpt } from './receipt-pdu.ts'

test('the text of a receipt has only characters with the same code in ASCII and GSM 7-bit', () => {
  const ascii = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code))
  for (const char of ascii) {
    const written = receiptExcerpt(char)
    expect(septetsFromText(written)).toEqual(Uint8Array.of(written.charCodeAt(0)))
  }
  expect(receiptExcerpt('Preis: 5 € für A_b@c und noch mehr')).toBe('Preis: 5 ? f?r A?b?c')
})
