import { expect, test } from 'vitest'
import { fields } from './fields.ts'
import { encodePdu, FramingError, PduStream } from './pdu.ts'
import { readBind, readSubmitMulti, readSubmitSm } from './requests.ts'

// SMPP 3.4 §3.2.2: the example of a bind_transmitter.
const BIND =
  '0000002f 00000002 00000000 00000001 534d50503354455354 00 7365637265743038 00 5355424d495431 00 00 01 01 00'
const octets = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')

test('reads the example of the standard, also octet by octet and twice in one chunk', () => {
  const stream = new PduStream(1_000)
  for (const octet of octets(BIND)) {
    expect(stream.next()).toBeUndefined()
    stream.push(Buffer.of(octet))
  }
  const pdu = stream.next()
  expect(pdu).toMatchObject({ command: 2, status: 0, sequence: 1 })
  expect(readBind(pdu?.body ?? Buffer.alloc(0))).toEqual({
    systemId: 'SMPP3TEST',
    password: 'secret08',
    interfaceVersion: 0,
  })
  expect(stream.hasPartial).toBe(false)
  stream.push(Buffer.concat([octets(BIND), octets(BIND), Buffer.of(0)]))
  expect([stream.next()?.sequence, stream.next()?.sequence, stream.next()]).toEqual([1, 1, undefined])
  expect(stream.hasPartial).toBe(true)
})

test('writes a header', () => {
  expect(encodePdu({ command: 0x80000004, status: 8, sequence: 7, body: Buffer.of(0x31, 0) }).toString('hex')).toBe(
    '00000012800000040000000800000007' + '3100',
  )
})

test.each(['00000000', '0000000f', '000003e9', 'ffffffff'])('refuses command_length 0x%s', (length) => {
  const stream = new PduStream(1_000)
  stream.push(octets(`${length} 00000015 00000000 00000001`))
  expect(() => stream.next()).toThrow(FramingError)
})

const FIELDS = '00 0101 34343734303000 0201 31323300 40 7f 02 00 00 01 00 08 00'

test('reads the fields of a submit_sm', () => {
  expect(readSubmitSm(octets(`${FIELDS} 02 0041 0204 0002 1234`))).toMatchObject({
    source: { ton: 1, npi: 1, value: '447400' },
    destinations: [{ ton: 2, npi: 1, value: '123' }],
    esmClass: 0x40,
    priority: 2,
    registeredDelivery: 1,
    dataCoding: 8,
    userData: octets('0041'),
    tlvs: new Map([[0x0204, octets('1234')]]),
  })
})

test.each([
  ['an end inside a field', '00 0101 3434', 'ESME_RINVCMDLEN'],
  ['a missing field', '00 01', 'ESME_RINVCMDLEN'],
  ['an address of 65 characters', `00 0101 ${'34'.repeat(65)} 00`, 'ESME_RINVPARLEN'],
  ['a short_message that is shorter than sm_length', `${FIELDS} 03 0041`, 'ESME_RINVMSGLEN'],
  ['an optional parameter without a length', `${FIELDS} 00 0204`, 'ESME_RINVOPTPARSTREAM'],
  ['an optional parameter beyond the end', `${FIELDS} 00 0204 0003 1234`, 'ESME_RINVOPTPARSTREAM'],
  ['short_message and message_payload', `${FIELDS} 01 41 0424 0001 41`, 'ESME_RINVMSGLEN'],
  ['replace_if_present_flag', FIELDS.replace('01 00 08 00', '01 01 08 00'), 'ESME_RINVSUBREP'],
  ['sm_default_msg_id', FIELDS.replace('01 00 08 00', '01 00 08 01'), 'ESME_RINVDFTMSGID'],
])('refuses a submit_sm with %s', (_, hex, status) => {
  expect(() => readSubmitSm(octets(hex))).toThrow(expect.objectContaining({ status }))
})

test('reads the destinations of a submit_multi, and refuses distribution lists', () => {
  const rest = '00 00 00 00 00 00 00 00 00 01 41'
  const body = `00 000000 02 01 0101 313200 01 0101 333400 ${rest}`
  expect(readSubmitMulti(octets(body)).destinations.map(({ value }) => value)).toEqual(['12', '34'])
  expect(() => readSubmitMulti(octets(`00 000000 01 02 414200 ${rest}`))).toThrow(
    expect.objectContaining({ status: 'ESME_RINVDLNAME' }),
  )
  expect(() => readSubmitMulti(octets(`00 000000 00 ${rest}`))).toThrow(
    expect.objectContaining({ status: 'ESME_RINVNUMDESTS' }),
  )
})

test('a character outside Latin-1 does not end a C-Octet String', () => {
  expect(fields('a\u0100\0b', 'Δ😀').toString('latin1')).toBe('a??b\0??\0')
})
