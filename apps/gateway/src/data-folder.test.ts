import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentIdentity, identityFile } from '@smsgw/agent/link/agent-identity'
import { inThisProcess } from '@smsgw/agent/link/in-process-socket'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { takeGatewayFolder } from './data-folder.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-gateway-folder-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('refuses the database of a relay with one line that names the files to move', () => {
  mkdirSync(join(folder, 'database'))
  expect(() => takeGatewayFolder(folder)).toThrow(
    `${folder} contains the data of a relay. Set DATA_DIR to another folder, or move that data to the folder of a relay: ` +
      `cd ${folder} && mkdir -p relay && mv database relay/`,
  )
})

test('refuses the identity of a paired agent, which a gateway would overwrite', () => {
  AgentIdentity.load(join(folder, identityFile)).keep({ url: 'wss://sms.example.org/agent/v1', deviceId: 'device-1' })
  expect(() => takeGatewayFolder(folder)).toThrow(`${folder} contains the data of an agent`)
  expect(AgentIdentity.load(join(folder, identityFile)).relay?.deviceId).toBe('device-1')
})

test('accepts its own data, even without the files that contain its secrets', () => {
  takeGatewayFolder(folder).release()
  AgentIdentity.load(join(folder, identityFile)).keep({ url: inThisProcess, deviceId: 'device-1' })
  takeGatewayFolder(folder).release()
  mkdirSync(join(folder, 'database'))
  writeFileSync(join(folder, 'credentials.json'), '')
  takeGatewayFolder(folder).release()
})
