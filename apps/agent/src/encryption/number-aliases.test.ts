import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aliasCode, isNumberAlias } from '@smsgw/contract/devices/number-alias'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FieldOpener } from '../sending/message/encrypted-field.ts'
import { DeviceKeys } from './device-keys.ts'
import { NumberAliases } from './number-aliases.ts'

const folder = mkdtempSync(join(tmpdir(), 'smsgw-aliases-'))
const path = join(folder, 'keys.json')
let owner: DeviceKeys

beforeAll(async () => {
  owner = await DeviceKeys.load(path)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const number = '+447700900123'
const aliases = new NumberAliases(randomBytes(32))
const ofAccount = { publicKey: Buffer.from('one').toString('base64') }
const ofOther = { publicKey: Buffer.from('two').toString('base64') }

test.each([number, '88811', 'Bäckerei', 'x'.repeat(60), '日'.repeat(20)])(
  'returns one alias for %s, from which the number can be decrypted',
  (sender) => {
    const alias = aliases.aliasOf(sender, ofAccount)
    expect([isNumberAlias(alias), aliases.aliasOf(sender, ofAccount), aliases.numberOf(alias)]).toEqual([
      true,
      alias,
      sender,
    ])
    expect(alias.length).toBeLessThanOrEqual(128)
  },
)

test('the length of an alias is the same for all phone numbers', () => {
  const lengths = ['1', '88811', number, '+123456789012345'].map((one) => aliases.aliasOf(one, ofAccount).length)
  expect(new Set(lengths)).toEqual(new Set([70]))
})

test('shortens a long name between two characters', () => {
  expect(aliases.numberOf(aliases.aliasOf('日'.repeat(40), ofAccount))).toBe('日'.repeat(20))
  expect(aliases.numberOf(aliases.aliasOf(`x${'👋'.repeat(40)}`, ofAccount))).toBe(`x${'👋'.repeat(14)}`)
})

test('another key of the account makes other aliases, which have nothing in common with the first aliases', () => {
  const [one, other] = [ofAccount, ofOther].map((key) => aliases.aliasOf(number, key))
  expect(one?.slice(0, 22)).not.toBe(other?.slice(0, 22))
  expect(aliasCode(one ?? '')).not.toBe(aliasCode(other ?? ''))
  expect([aliases.numberOf(one ?? ''), aliases.numberOf(other ?? '')]).toEqual([number, number])
})

test('refuses aliases of another agent, altered aliases and other texts', () => {
  const alias = aliases.aliasOf(number, ofAccount)
  expect(new NumberAliases(randomBytes(32)).numberOf(alias)).toBeUndefined()
  for (const at of [8, 25, 60]) {
    const altered = `${alias.slice(0, at)}${alias[at] === 'A' ? 'B' : 'A'}${alias.slice(at + 1)}`
    expect(aliases.numberOf(altered)).toBeUndefined()
  }
  for (const text of [number, '', 'alias:', alias.slice(0, -1), `${alias}A`])
    expect(aliases.numberOf(text)).toBeUndefined()
})

test('an independent implementation decrypts an alias as the documentation describes', async () => {
  const { id, key } = aliases.keyFor(owner.current)
  const opened = await new FieldOpener({ deviceKeys: owner }).open(key)
  const octets = Buffer.from(opened.ok ? opened.text : '', 'base64')
  const alias = aliases.aliasOf(number, owner.current)
  expect(alias.slice('alias:'.length, 22)).toBe(id)
  const body = Buffer.from(alias.slice(22), 'base64url')
  const { subtle } = globalThis.crypto
  const cipherKey = await subtle.importKey('raw', octets.subarray(32), 'AES-CTR', false, ['decrypt'])
  const counter = body.subarray(0, 16)
  const clear = Buffer.from(
    await subtle.decrypt({ name: 'AES-CTR', counter, length: 128 }, cipherKey, body.subarray(16)),
  )
  expect(clear.toString().replace(/\0+$/, '')).toBe(number)
  const macKey = await subtle.importKey('raw', octets.subarray(0, 32), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  expect(Buffer.from(await subtle.sign('HMAC', macKey, clear)).subarray(0, 16)).toEqual(counter)
})

test('keeps the secret when the keys are replaced, and adds a secret to the file of an earlier release', async () => {
  const alias = owner.aliases.aliasOf(number, ofAccount)
  await owner.rotate()
  expect((await DeviceKeys.load(path)).aliases.numberOf(alias)).toBe(number)
  const { aliasSecret, ...earlier } = JSON.parse(readFileSync(path, 'utf8'))
  expect(Buffer.from(aliasSecret, 'base64')).toHaveLength(32)
  writeFileSync(path, JSON.stringify(earlier))
  const upgraded = (await DeviceKeys.load(path)).aliases.aliasOf(number, ofAccount)
  expect(upgraded).not.toBe(alias)
  expect((await DeviceKeys.load(path)).aliases.numberOf(upgraded)).toBe(number)
})
