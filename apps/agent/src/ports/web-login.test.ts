import { expect, test } from 'vitest'
import { webLoginOf } from './web-login.ts'

test('without a password, the driver does not log in', () => {
  expect(webLoginOf({ HILINK_USER: 'admin', HILINK_PASSWORD: undefined })).toBeUndefined()
})

test('the hash is SHA-256 as hexadecimal digits in Base64', () => {
  const login = webLoginOf({ HILINK_USER: 'admin', HILINK_PASSWORD: 'secret' })
  expect(login).toMatchObject({ user: 'admin', password: 'secret' })
  // FIPS 180-4, "abc"
  const digits = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  expect(Buffer.from(login?.hash('abc') ?? '', 'base64').toString()).toBe(digits)
})
