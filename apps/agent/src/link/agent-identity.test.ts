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

test('creates the key once', () => {
  const { publicKey } = AgentIdentity.load(path)
  expect(Buffer.from(publicKey, 'base64')).toHaveLength(32)
  expect(AgentIdentity.load(path).publicKey).toBe(publicKey)
})

test('restricts the file to its owner, also after its mode was changed', () => {
  AgentIdentity.load(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  chmodSync(path, 0o644)
  AgentIdentity.load(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('stores the relay next to the unchanged key, and leaves no temporary file', () => {
  const identity = AgentIdentity.load(path)
  identity.keep({ url: 'wss://sms.example.org', deviceId: 'device-1' })
  const again = AgentIdentity.load(path)
  expect(again.relay).toEqual({ url: 'wss://sms.example.org', deviceId: 'device-1' })
  expect(again.publicKey).toBe(identity.publicKey)
  expect(readdirSync(folder)).toEqual([identityFile])
})

test('an interrupted write leaves the identity unchanged', () => {
  const { publicKey } = AgentIdentity.load(path)
  writeFileSync(`${path}.new`, readFileSync(path, 'utf8').slice(0, 40))
  expect(AgentIdentity.load(path).publicKey).toBe(publicKey)
})

test('does not replace a damaged file', () => {
  writeFileSync(path, '{"privateKey": 12')
  expect(() => AgentIdentity.load(path)).toThrow('Delete it and pair this agent again')
  expect(readFileSync(path, 'utf8')).toBe('{"privateKey": 12')
})
