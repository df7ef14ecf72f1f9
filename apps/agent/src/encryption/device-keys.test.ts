import { constants, createHash, createPrivateKey, generateKeyPairSync, publicEncrypt, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FieldOpener } from '../sending/message/encrypted-field.ts'
import { DeviceKeys, deviceKeysFile } from './device-keys.ts'
import { encryptValue } from './encrypt-value.ts'
import { unwrapKey } from './unwrap-key.ts'

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
      'is encrypted for key version 9, which this agent does not have: use the publicKey that GET /devices shows',
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
  readonly withKey: readonly Vector[]
  readonly withKeyAndSha1Mask?: readonly Vector[]
  readonly passphrase?: string
  readonly withPassphrase?: readonly Vector[]
}

interface Vector {
  readonly text: string
  readonly value: string
}

test.each([
  ['two other implementations', '../../../../docs/examples/encryption-vectors.json'],
  ['the TypeScript client of SMS Gateway for Android', 'client-ts-vector.json'],
])('decrypts the published values of %s', async (_, file) => {
  const vectors = JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as Vectors
  const deviceKeys = await keysOf(vectors)
  expect(deviceKeys.current).toEqual({ version: vectors.keyVersion, publicKey: vectors.publicKey })
  const opener = new FieldOpener({ deviceKeys, passphrase: vectors.passphrase })
  const all = [...vectors.withKey, ...(vectors.withKeyAndSha1Mask ?? []), ...(vectors.withPassphrase ?? [])]
  expect(await Promise.all(all.map(({ value }) => opener.open(value)))).toEqual(
    all.map(({ text }) => ({ ok: true, text })),
  )
})

async function keysOf({ keyVersion, privateKey }: Pick<Vectors, 'keyVersion' | 'privateKey'>): Promise<DeviceKeys> {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' })
  const pem = key.export({ format: 'pem', type: 'pkcs8' })
  writeFileSync(path, JSON.stringify({ keys: [{ version: keyVersion, privateKey: pem }] }))
  return await DeviceKeys.load(path)
}

test('refuses a key that is wrapped with a wrong encoding', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const contentKey = randomBytes(32)
  const label = createHash('sha256').digest()
  const zeros = Buffer.alloc(256 - 2 * 32 - 2 - contentKey.length)
  const wrap = (first: number, ...block: readonly Uint8Array[]) => {
    const encoded = encodeWithSha1Mask(first, Buffer.concat(block))
    return publicEncrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, encoded)
  }
  const one = Buffer.of(1)
  expect(await unwrapKey(privateKey, wrap(0, label, zeros, one, contentKey))).toEqual(contentKey)
  const wrong = [
    wrap(1, label, zeros, one, contentKey),
    wrap(0, Buffer.alloc(32), zeros, one, contentKey),
    wrap(0, label, zeros, Buffer.of(2), contentKey),
    wrap(0, label, Buffer.of(7), zeros.subarray(1), one, contentKey),
    wrap(0, label, zeros, Buffer.alloc(33)),
  ]
  for (const wrapped of wrong)
    await expect(unwrapKey(privateKey, wrapped)).rejects.toThrow('encrypted for another device key')
})

function encodeWithSha1Mask(first: number, block: Buffer): Buffer {
  const seed = randomBytes(32)
  const maskedBlock = block.map((byte, at) => byte ^ sha1Mask(seed, at))
  const maskedSeed = seed.map((byte, at) => byte ^ sha1Mask(maskedBlock, at))
  return Buffer.concat([Buffer.of(first), maskedSeed, maskedBlock])
}

/** Returns one byte of MGF1 (RFC 8017 §B.2.1). */
function sha1Mask(seed: Uint8Array, at: number): number {
  const counter = Buffer.alloc(4)
  counter.writeUInt32BE(Math.floor(at / 20))
  return createHash('sha1').update(seed).update(counter).digest()[at % 20] ?? 0
}
