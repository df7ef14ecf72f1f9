import { expect, test } from 'vitest'
import { readAuthorization } from './authorization-header.ts'

const basic = (text: string | Uint8Array) => `Basic ${Buffer.from(text).toString('base64')}`

test.each([
  [undefined, { kind: 'none' }],
  ['  ', { kind: 'none' }],
  [basic('sms:secret'), { kind: 'basic', username: 'sms', password: 'secret' }],
  ['bAsIc   c21zOnNlY3JldA==', { kind: 'basic', username: 'sms', password: 'secret' }],
  ['Basic c21zOnNlY3JldA', { kind: 'basic', username: 'sms', password: 'secret' }],
  [basic('sms:se:cr:et:'), { kind: 'basic', username: 'sms', password: 'se:cr:et:' }],
  [basic('müller:pässwörd€'), { kind: 'basic', username: 'müller', password: 'pässwörd€' }],
  [basic('sms:'), { kind: 'basic', username: 'sms', password: '' }],
  [basic(':secret'), { kind: 'basic', username: '', password: 'secret' }],
  [basic('\ufeffsms:secret'), { kind: 'basic', username: '\ufeffsms', password: 'secret' }],
  [basic('no colon'), { kind: 'unreadable' }],
  [basic(Uint8Array.of(0x6d, 0xfc, 0x3a, 0x61)), { kind: 'unreadable' }],
  ['Basic', { kind: 'unreadable' }],
  ['Basic ü', { kind: 'unreadable' }],
  ['Bearer abc.def.g-h_i', { kind: 'bearer', token: 'abc.def.g-h_i' }],
  ['bearer\tabc', { kind: 'bearer', token: 'abc' }],
  ['Bearer', { kind: 'unreadable' }],
  ['Bearer a b', { kind: 'unreadable' }],
  ['Digest username="sms"', { kind: 'unreadable' }],
  ['c21zOnNlY3JldA==', { kind: 'unreadable' }],
])('reads %j', (header, credentials) => {
  expect(readAuthorization(header)).toEqual(credentials)
})
