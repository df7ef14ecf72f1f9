import { expect, test } from 'vitest'
import { systemRandom } from '../../random.ts'
import { idOfKey, isKeyText, newKey, newKeyId } from './key-text.ts'

test('a new key contains its id and a checksum, and no two are equal', () => {
  const id = newKeyId(systemRandom)
  const keys = Array.from({ length: 100 }, () => newKey(systemRandom, id))
  expect(new Set(keys).size).toBe(100)
  for (const key of keys) {
    expect(key).toMatch(/^smsgw_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/)
    expect(idOfKey(key)).toBe(id)
  }
})

test('a key with one changed character has no id, and is still recognised as a key', () => {
  const key = newKey(systemRandom, newKeyId(systemRandom))
  const start = key.indexOf('_', 11) + 1
  for (let at = start; at < key.length; at++) {
    const changed = `${key.slice(0, at)}${key[at] === 'x' ? 'y' : 'x'}${key.slice(at + 1)}`
    expect(idOfKey(changed)).toBeUndefined()
    expect(isKeyText(changed)).toBe(true)
  }
})

test('the checksum is the CRC-32 of the text before it, as other programs compute it', () => {
  const zeros = { bytes: (count: number) => new Uint8Array(count) }
  // Computed with zlib.crc32 of Python.
  expect(newKey(zeros, '000000000000')).toBe(`smsgw_live_000000000000_${'0'.repeat(32)}2GuFrT`)
})
