import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AgentIdentity, identityFile } from './agent-identity.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-identity-'))
  path = join(folder, identityFile)
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a key is made once, and stays', () => {
  const { publicKey } = AgentIdentity.load(path)
  expect(Buffer.from(publicKey, 'base64')).toHaveLength(32)
  expect(AgentIdentity.load(path).publicKey).toBe(publicKey)
})

test('its owner alone can read it, also after somebody opened it up', () => {
  AgentIdentity.load(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  chmodSync(path, 0o644)
  AgentIdentity.load(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('to whom it belongs is kept beside the same key, and nothing half written is left', () => {
  const identity = AgentIdentity.load(path)
  identity.keep({ url: 'wss://sms.example.org', deviceId: 'device-1' })
  const again = AgentIdentity.load(path)
  expect(again.relay).toEqual({ url: 'wss://sms.example.org', deviceId: 'device-1' })
  expect(again.publicKey).toBe(identity.publicKey)
  expect(readdirSync(folder)).toEqual([identityFile])
})

test('a write that was cut off leaves the identity as it was', () => {
  const { publicKey } = AgentIdentity.load(path)
  writeFileSync(`${path}.new`, readFileSync(path, 'utf8').slice(0, 40))
  expect(AgentIdentity.load(path).publicKey).toBe(publicKey)
})

test('a file that is broken is no reason to become somebody else', () => {
  writeFileSync(path, '{"privateKey": 12')
  expect(() => AgentIdentity.load(path)).toThrow('remove it and pair this agent anew')
  expect(readFileSync(path, 'utf8')).toBe('{"privateKey": 12')
})
