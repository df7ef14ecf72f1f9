import { describe, expect, it } from 'vitest'
import { PduDecodeError } from '../pdu-error.ts'
import { type ContentTypeForm, decodeWspPush, encodeWspPush, mmsMediaType } from './wsp-push.ts'

/** X-Wap-Application-Id: mms.ua, as sent by MMS centres. */
const mmsApplicationIdHeader = Uint8Array.of(0xaf, 0x84)

const body = Uint8Array.of(1, 2, 3)

describe('a WSP push', () => {
  it.each<ContentTypeForm>(['code', 'text', 'general'])(
    'a WSP push is encoded and decoded with its content type as %s',
    (contentTypeForm) => {
      const push = { transactionId: 7, confirmed: true, contentType: mmsMediaType, body }
      const octets = encodeWspPush({ ...push, contentTypeForm, headers: mmsApplicationIdHeader })
      expect(decodeWspPush(octets)).toEqual({ ...push, bodyOffset: octets.length - body.length })
    },
  )

  it('a WSP push contains a media type without a code as text, also in the general form', () => {
    const push = {
      transactionId: 0,
      confirmed: false,
      contentType: 'application/vnd.example.of-a-long-media-type',
      body,
    }
    expect(() => encodeWspPush(push)).toThrow('has no code')
    expect(decodeWspPush(encodeWspPush({ ...push, contentTypeForm: 'text' }))).toMatchObject(push)
    expect(decodeWspPush(encodeWspPush({ ...push, contentTypeForm: 'general' }))).toMatchObject(push)
  })

  it('a WSP push is refused when its headers are truncated anywhere, and the error contains a field and an offset', () => {
    const octets = encodeWspPush({ transactionId: 1, contentType: mmsMediaType, contentTypeForm: 'general', body })
    const bodyOffset = octets.length - body.length
    for (let length = 0; length < bodyOffset; length++) {
      const decode = () => decodeWspPush(octets.subarray(0, length))
      expect(decode).toThrow(PduDecodeError)
      expect(decode).toThrow(/at octet \d+/)
    }
  })
  it.each([26, 27, 28, 29])('a WSP push contains a media type of %i characters in the general form', (length) => {
    // The media type is followed by a zero octet and two octets for the character set. From 31 octets on, the length
    // has another form.
    const push = { transactionId: 1, confirmed: false, contentType: 'x/'.padEnd(length, 'y'), body }
    expect(decodeWspPush(encodeWspPush({ ...push, contentTypeForm: 'general' }))).toMatchObject(push)
  })

  it('a WSP push contains a copy of the body', () => {
    const octets = encodeWspPush({ transactionId: 1, contentType: mmsMediaType, body })
    const decoded = decodeWspPush(octets)
    octets.fill(0)
    expect(decoded.body).toEqual(body)
  })

  it.each([
    ['a transaction id of more than an octet', { transactionId: 300 }, 'TID'],
    ['a zero in its content type', { contentType: 'text/\0plain' }, 'Content-Type'],
    ['no content type', { contentType: '' }, 'Content-Type'],
  ])('a WSP push with %s cannot be encoded', (_, members, field) => {
    const push = { transactionId: 1, contentType: 'text/plain', contentTypeForm: 'text', body } as const
    expect(() => encodeWspPush({ ...push, ...members })).toThrow(field)
  })
})
