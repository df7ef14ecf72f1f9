import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defaultFolder, gatewayFolder, ownerOfData } from './default-folder.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-default-folder-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('gateway, relay and agent have different folders', () => {
  const folders = [gatewayFolder, defaultFolder('relay'), defaultFolder('agent')]
  expect(new Set(folders).size).toBe(3)
})

test.each([
  [['server-secret', 'credentials.json', 'database', 'agent-identity.json', 'journal.db'], 'gateway'],
  // A gateway with DATABASE_URL, a gateway with SERVER_SECRET, and a gateway whose credentials were deleted.
  [['credentials.json', 'server-secret', 'agent-identity.json'], 'gateway'],
  [['credentials.json', 'database'], 'gateway'],
  [['database', 'agent-identity.json'], 'gateway'],
  [['database', 'lock', 'owner'], 'relay'],
  [['agent-identity.json', 'journal.db'], 'agent'],
  [['emulator', 'relay', 'agent'], undefined],
])('data of an earlier release is still used by the program that wrote it: %j is used by the %s', (names, owner) => {
  for (const name of names) write(name)
  expect(ownerOfData(folder)).toBe(owner)
  for (const program of ['agent', 'relay'] as const)
    expect(defaultFolder(program, folder)).toBe(owner === program ? folder : `${folder}/${program}`)
})

function write(name: string): void {
  if (name.includes('.') || name.includes('secret')) writeFileSync(join(folder, name), '')
  else mkdirSync(join(folder, name))
}
