import { expect, test } from 'vitest'
import { systemRandom } from '../random.ts'
import { secretBox } from './secret-box.ts'

const SECRET = 'correct horse battery staple, and more'
const box = secretBox(SECRET, systemRandom)

test('decrypts any text that it encrypted', () => {
  for (const text of ['', 'whsec_abc', 'päss 🎉'.repeat(1000)])
    expect(box.open(box.seal(text, 'test'), 'test')).toBe(text)
})

test('encrypts the same text differently each time', () => {
  expect(box.seal('text', 'test')).not.toBe(box.seal('text', 'test'))
})

test('refuses another secret, another purpose and a changed byte', () => {
  const sealed = box.seal('text', 'test')
  expect(() => secretBox(`${SECRET}!`, systemRandom).open(sealed, 'test')).toThrow()
  expect(() => box.open(sealed, 'other')).toThrow()
  const bytes = Buffer.from(sealed.slice(3), 'base64')
  for (let place = 0; place < bytes.length; place += 1) {
    const changed = Buffer.from(bytes)
    changed[place] = (changed[place] ?? 0) ^ 1
    expect(() => box.open(`v1:${changed.toString('base64')}`, 'test')).toThrow()
  }
  for (const nothing of ['', 'v1:', 'v2:AAAA', 'v1:AAAA']) expect(() => box.open(nothing, 'test')).toThrow()
})

test('a fingerprint is the same each time, but differs for another text, purpose or secret', () => {
  const print = box.fingerprint('text', 'test')
  expect(print).toMatch(/^[0-9a-f]{64}$/)
  expect(box.fingerprint('text', 'test')).toBe(print)
  const others = [
    box.fingerprint('text2', 'test'),
    box.fingerprint('text', 'other'),
    secretBox(`${SECRET}!`, systemRandom).fingerprint('text', 'test'),
  ]
  expect(new Set([print, ...others]).size).toBe(4)
})
