import { octetsFromHex } from '@smsgw/sms/octets'
import { decodeIncoming } from '@smsgw/sms/tpdu/tpdu'
import { describe, expect, test } from 'vitest'
import { messagesIn, pdusOfStickMessage, type StickMessage } from './stick-message.ts'
import { parseXml } from './xml.ts'

const message: StickMessage = {
  index: 40_001,
  phone: '+447400123456',
  content: 'Hello',
  date: '2026-03-01 15:46:11',
  type: 1,
}
const utc = () => 0
const listing = (entries: string) => {
  const root = parseXml(`<response><Count>1</Count><Messages>${entries}</Messages></response>`)
  if (root === undefined) throw new Error('not XML')
  return messagesIn(root)
}
const entry = (index: string) => `<Message><Index>${index}</Index><Phone>1</Phone><Content>a</Content></Message>`

describe('a listing', () => {
  test('a listing may have names in lower case', () => {
    const entries = '<message><index>40001</index><phone>+1</phone><content>a</content><date>d</date></message>'
    expect(listing(entries)).toEqual([{ index: 40_001, phone: '+1', content: 'a', date: 'd', type: undefined }])
  })

  test.each(['', 'x', '-1', '99999999999'])('a listing leaves out an entry with the index "%s"', (index) => {
    expect(listing(entry(index))).toEqual([])
  })
})

describe('the PDUs of a message', () => {
  test('the PDUs of a message have the local time of the stick, in the time zone that applied at that time', () => {
    const [pdu = ''] = pdusOfStickMessage(message, (epochMs) => (epochMs === Date.UTC(2026, 2, 1, 15, 46, 11) ? 4 : 0))
    const { tpdu } = decodeIncoming(octetsFromHex(pdu))
    expect(tpdu).toMatchObject({ serviceCentreTimeStamp: { year: 2026, hour: 15, zoneQuarters: 4 } })
  })

  test.each(['', 'yesterday', '2026-02-30 12:00:00', '2026-01-01 25:00:00'])(
    'the PDUs of a message can be built despite the date "%s"',
    (date) => {
      const [pdu = ''] = pdusOfStickMessage({ ...message, date }, utc)
      expect(decodeIncoming(octetsFromHex(pdu)).tpdu).toMatchObject({ serviceCentreTimeStamp: { invalid: true } })
    },
  )

  test.each(['24/7', '1-800 BANK', 'My Bank'])('the PDUs of a message have the name %s as their sender', (phone) => {
    const [pdu = ''] = pdusOfStickMessage({ ...message, phone }, utc)
    const { tpdu } = decodeIncoming(octetsFromHex(pdu))
    expect(tpdu).toMatchObject({ originator: { typeOfNumber: 'alphanumeric', value: phone } })
  })

  test('the PDUs of a message are the same when the network delivers a long message again and the stick stores it at another index', () => {
    const long = { ...message, content: 'All work and no play. '.repeat(20) }
    expect(pdusOfStickMessage({ ...long, index: 40_007 }, utc)).toEqual(pdusOfStickMessage(long, utc))
    expect(pdusOfStickMessage({ ...long, date: '2026-03-01 15:46:12' }, utc)).not.toEqual(pdusOfStickMessage(long, utc))
  })

  test.each<[string, Partial<StickMessage>]>([
    ['a sender that no PDU can hold', { phone: 'a name of more than eleven characters' }],
    ['no sender', { phone: '' }],
    ['a delivery report', { type: 7, content: '' }],
  ])('the PDUs of a message for %s contain every field', (_name, change) => {
    const [pdu = ''] = pdusOfStickMessage({ ...message, ...change }, utc)
    expect(JSON.parse(new TextDecoder().decode(octetsFromHex(pdu).slice(1)))).toEqual({ ...message, ...change })
    expect(() => decodeIncoming(octetsFromHex(pdu))).toThrow()
  })
})
