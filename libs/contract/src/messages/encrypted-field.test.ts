import { expect, test } from 'vitest'
import { needsPrivateKey, readEncryptedField } from './encrypted-field.ts'

const base64 = (length: number) => Buffer.alloc(length, 1).toString('base64')
const publicKey = ({ version = 'v=1', key = 256, iv = 12, ciphertext = 17 } = {}) =>
  `$rsa-oaep-aes-256-gcm$${version}$k=3$${base64(key)}$${base64(iv)}$${base64(ciphertext)}`
const passphrase = `$aes-256-cbc/pbkdf2-sha1$i=1000$${base64(16)}$${base64(32)}`

test('reads both forms, and distinguishes values that need the private key of a device', () => {
  expect(readEncryptedField(publicKey())).toEqual({
    ok: true,
    field: {
      kind: 'public-key',
      keyVersion: 3,
      wrappedKey: base64(256),
      iv: base64(12),
      ciphertext: base64(17),
    },
  })
  expect(readEncryptedField(publicKey({ key: 512 }))).toMatchObject({ ok: true })
  expect(readEncryptedField(passphrase)).toMatchObject({ ok: true, field: { kind: 'passphrase', iterations: 1_000 } })
  expect([publicKey(), passphrase, 'hello'].map(needsPrivateKey)).toEqual([true, false, false])
})

test.each([
  [publicKey({ version: 'v=2' }), 'is not encrypted: it must have the form $rsa-oaep-aes-256-gcm$v=1$k=<version>'],
  [publicKey({ key: 128 }), 'has a key of 128 bytes: use at least 256'],
  [publicKey({ iv: 16 }), 'has an IV of 16 bytes: use 12'],
  [publicKey({ ciphertext: 16 }), 'has an empty ciphertext: encrypt at least one byte'],
  [`${publicKey()}$more`, 'is not encrypted'],
  [passphrase.replace('1000', '99999999'), 'has 99999999 iterations: use 1 to 10000000'],
  ['hello', 'is not encrypted'],
])('%s is refused with a reason', (text, problem) => {
  const read = readEncryptedField(text)
  expect(read).toMatchObject({ ok: false, problem: expect.stringContaining(problem) })
})
