import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { loginPassword, sha256 } from './login-password.ts'

test.each([0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 1000])(
  'the hash of %d octets equals the hash that Node.js computes',
  (length) => {
    const octets = Uint8Array.from({ length }, (_, at) => (at * 7) & 0xff)
    expect(Buffer.from(sha256(octets)).toString('hex')).toBe(createHash('sha256').update(octets).digest('hex'))
  },
)

test('hashes the password with username and token', () => {
  const hashed = (text: string) => Buffer.from(createHash('sha256').update(text).digest('hex')).toString('base64')
  expect(loginPassword('admin', 'secret', 'token')).toBe(hashed(`admin${hashed('secret')}token`))
})
