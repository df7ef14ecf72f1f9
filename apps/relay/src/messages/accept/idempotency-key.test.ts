import { DecodedBase64 } from '@smsgw/contract/fields/decoded-base64'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isIdempotencyKey, requestFingerprint } from './idempotency-key.ts'

test('a key has 1 to 255 printable characters', () => {
  expect(isIdempotencyKey('order 4711/ä'.slice(0, 11))).toBe(true)
  expect(isIdempotencyKey('k'.repeat(255))).toBe(true)
  for (const wrong of ['', 'k'.repeat(256), 'ä', 'a\tb', 'a\n']) expect(isIdempotencyKey(wrong)).toBe(false)
})

test('the fingerprint does not depend on the order of JSON members', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(requestFingerprint(shuffled(value))).toEqual(requestFingerprint(value))
    }),
  )
})

test('the fingerprint depends on values, their types, their positions and their names', () => {
  const requests = [
    { a: 1 },
    { a: '1' },
    { b: 1 },
    { a: [1] },
    { a: null },
    { a: [1, 2] },
    { a: [2, 1] },
    { a: { b: 1 } },
    { '{"a"': 1 },
    { a: new Date(1) },
    {},
    [],
  ]
  const fingerprints = requests.map((request) => Buffer.from(requestFingerprint(request)).toString('hex'))
  expect(new Set(fingerprints).size).toBe(requests.length)
})

test('the fingerprint is the same if a member is left out or undefined', () => {
  expect(requestFingerprint({ a: 1, b: undefined })).toEqual(requestFingerprint({ a: 1 }))
})

test('the fingerprint is the same if the data of an attachment is a text or was decoded while it arrived', () => {
  const octets = Buffer.alloc(100_000, 'picture')
  const decoded = new DecodedBase64([octets.subarray(0, 48 * 1024), octets.subarray(48 * 1024)])
  const request = (data: unknown) => requestFingerprint({ attachments: [{ contentType: 'image/png', data }] })
  expect(request(decoded)).toEqual(request(octets.toString('base64')))
})

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, shuffled(member)])
      .reverse(),
  )
}
