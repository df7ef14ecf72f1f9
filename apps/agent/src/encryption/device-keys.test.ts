import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FieldOpener } from '../sending/message/encrypted-field.ts'
import { DeviceKeys, deviceKeysFile } from './device-keys.ts'
import { encryptValue } from './encrypt-value.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-keys-'))
  path = join(folder, deviceKeysFile)
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (deviceKeys: DeviceKeys, value: string) => new FieldOpener({ deviceKeys }).open(value)

test('stores the private key in a file that only its owner can read, and keeps it after a restart', async () => {
  const keys = await DeviceKeys.load(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(keys.current.version).toBe(1)
  const value = encryptValue(keys.current, 'Hello')
  const restarted = await DeviceKeys.load(path)
  expect([restarted.current, restarted.fingerprint]).toEqual([keys.current, keys.fingerprint])
  expect(await open(restarted, value)).toEqual({ ok: true, text: 'Hello' })
})

test('decrypts a phone number and a text within the limits of the API', async () => {
  const { current } = await DeviceKeys.load(path)
  expect(encryptValue({ ...current, version: 2_147_483_647 }, `+${'9'.repeat(19)}`).length).toBeLessThanOrEqual(512)
})

test('decrypts with earlier versions after a rotation, until they are deleted after 30 days', async () => {
  const keys = await DeviceKeys.load(path)
  const first = encryptValue(keys.current, 'one')
  expect(await keys.rotate()).toEqual(keys.current)
  expect(keys.current.version).toBe(2)
  const second = encryptValue(keys.current, 'two')
  const start = Date.UTC(2026, 0, 1)
  keys.deleteOld(start)
  const day = 24 * 60 * 60_000
  const restarted = await DeviceKeys.load(path)
  restarted.deleteOld(start + 30 * day - 1)
  expect(await open(restarted, first)).toEqual({ ok: true, text: 'one' })
  restarted.deleteOld(start + 30 * day)
  expect(await open(restarted, first)).toMatchObject({ ok: false, problem: expect.stringContaining('version 1') })
  expect(await open(restarted, second)).toEqual({ ok: true, text: 'two' })
  expect(readFileSync(path, 'utf8').match(/PRIVATE KEY-----\\n/g)).toHaveLength(2)
})

test('keeps at most ten earlier versions', async () => {
  const keys = await DeviceKeys.load(path)
  for (let version = 2; version <= 12; version += 1) await keys.rotate()
  expect([keys.has(1), keys.has(2), keys.has(12)]).toEqual([false, true, true])
})

test('refuses a damaged file, because a new key would make waiting messages unreadable', async () => {
  for (const damaged of ['{', JSON.stringify({ keys: [{ version: 1, privateKey: 'PRIVATE KEY' }] })]) {
    writeFileSync(path, damaged)
    await expect(DeviceKeys.load(path)).rejects.toThrow(`${path} is not a valid key file`)
    expect(readFileSync(path, 'utf8')).toBe(damaged)
  }
})

test('reports what to do when the first key cannot be stored', async () => {
  const missing = join(folder, 'missing', 'keys.json')
  await expect(DeviceKeys.load(missing)).rejects.toThrow(/keys\.json cannot be created: ENOENT.* then start again$/)
})

test('refuses values for another key, of an unknown version, or altered in any member', async () => {
  const keys = await DeviceKeys.load(path)
  const other = await DeviceKeys.load(join(folder, 'other.json'))
  const value = encryptValue(keys.current, 'Hello')
  const cannot = { ok: false, problem: 'cannot be decrypted with version 1 of the key of this agent' }
  expect(await open(keys, encryptValue(other.current, 'Hello'))).toEqual(cannot)
  const members = value.split('$')
  for (const index of [4, 5, 6])
    expect(await open(keys, members.with(index, altered(members[index])).join('$'))).toEqual(cannot)
  const shorter = Buffer.from(members[6] ?? '', 'base64')
    .subarray(0, -1)
    .toString('base64')
  expect(await open(keys, members.with(6, shorter).join('$'))).toEqual(cannot)
  expect(await open(keys, value.replace('k=1', 'k=9'))).toEqual({
    ok: false,
    problem:
      'is encrypted for version 9 of the key, which this agent does not have: use the publicKey that GET /devices shows',
  })
})

function altered(base64 = ''): string {
  const octets = Buffer.from(base64, 'base64')
  octets[3] = (octets[3] ?? 0) ^ 1
  return octets.toString('base64')
}

interface Vectors {
  readonly keyVersion: number
  readonly privateKey: string
  readonly publicKey: string
  readonly passphrase: string
  readonly withKey: readonly { readonly text: string; readonly value: string }[]
  readonly withPassphrase: readonly { readonly text: string; readonly value: string }[]
}

test('decrypts the published values of another implementation', async () => {
  const file = join(import.meta.dirname, '../../../../docs/examples/encryption-vectors.json')
  const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vectors
  const privateKey = createPrivateKey({ key: Buffer.from(vectors.privateKey, 'base64'), format: 'der', type: 'pkcs8' })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' })
  writeFileSync(path, JSON.stringify({ keys: [{ version: vectors.keyVersion, privateKey: pem }] }))
  const deviceKeys = await DeviceKeys.load(path)
  expect(deviceKeys.current).toEqual({ version: vectors.keyVersion, publicKey: vectors.publicKey })
  const opener = new FieldOpener({ deviceKeys, passphrase: vectors.passphrase })
  const all = [...vectors.withKey, ...vectors.withPassphrase]
  expect(await Promise.all(all.map(({ value }) => opener.open(value)))).toEqual(
    all.map(({ text }) => ({ ok: true, text })),
  )
})
