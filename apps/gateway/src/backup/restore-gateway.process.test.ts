import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { deviceKeysFile } from '@smsgw/agent/encryption/device-keys'
import { identityFile } from '@smsgw/agent/link/agent-identity'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { abandonArrival, beginArrival, completeArrival, finishRestore } from './restored-folder.ts'

const given = {
  SERVER_SECRET: 'a secret that is stored elsewhere, long enough',
  ADMIN_PASSWORD: 'tea at half past four',
}
let scratch: string
let archive: string
let into: string

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'smsgw-restore-'))
  archive = join(scratch, 'monday.backup')
  const box = join(scratch, 'box')
  const first = spawnGateway(box, [], given)
  expect(await devicesAt(await address(first))).toHaveLength(1)
  first.kill('SIGTERM')
  await once(first, 'exit')
  expect(await run(box, ['backup', archive])).toMatchObject({ code: 0 })
})

afterAll(() => rmSync(scratch, { recursive: true, force: true }))

beforeEach(() => {
  into = mkdtempSync(join(scratch, 'into-'))
})

test('the backup file is readable by its owner only', () => {
  expect(statSync(archive).mode & 0o777).toBe(0o600)
})

test('a restore requires a configured SERVER_SECRET, and refuses a different secret without writing into the folder', async () => {
  const without = await run(into, ['restore', archive])
  expect(without).toMatchObject({
    code: 1,
    complaint: expect.stringContaining('Set SERVER_SECRET to the same value for the restore'),
  })
  expect(arrived(into)).toEqual([])
  const other = await run(into, ['restore', archive], { SERVER_SECRET: `${given.SERVER_SECRET} or not` })
  expect(other).toMatchObject({ code: 1, complaint: expect.stringContaining('SERVER_SECRET is not the secret') })
  expect(arrived(into)).toEqual([])
})

test('restores the keys that decrypt messages for the agent, and the gateway starts with the configured secret', async () => {
  expect(await run(into, ['restore', archive], given)).toMatchObject({ code: 0 })
  const restored = join(into, deviceKeysFile)
  expect(readFileSync(restored, 'utf8')).toBe(readFileSync(join(scratch, 'box', deviceKeysFile), 'utf8'))
  expect(statSync(restored).mode & 0o777).toBe(0o600)
  expect(existsSync(join(into, 'server-secret'))).toBe(false)
  const gateway = spawnGateway(into, [], { SERVER_SECRET: given.SERVER_SECRET })
  expect(await devicesAt(await address(gateway))).toHaveLength(1)
  gateway.kill('SIGTERM')
  await once(gateway, 'exit')
})

test('after a power cut during a restore, another restore completes', async () => {
  const cut = spawnGateway(into, ['restore', archive], given)
  await vi.waitUntil(() => arrived(into).includes('arriving'), { timeout: 60_000, interval: 5 })
  cut.kill('SIGKILL')
  await once(cut, 'exit')
  expect(await run(into, ['restore', archive], given)).toMatchObject({ code: 0 })
  const gateway = spawnGateway(into, [], given)
  expect(await devicesAt(await address(gateway))).toHaveLength(1)
  expect(arrived(into)).not.toContain('arriving')
  gateway.kill('SIGTERM')
  await once(gateway, 'exit')
})

test('refuses to start after an unfinished restore, because a start would create an empty database', async () => {
  await beginArrival(into)
  const start = await run(into, [])
  expect(start).toMatchObject({ code: 1, complaint: expect.stringContaining('did not finish. Restore again') })
  expect(start.complaint.trim().split('\n')).toHaveLength(1)
})

test('the next start moves the files that a restore could not move', async () => {
  const arriving = await beginArrival(into)
  for (const name of [identityFile, 'journal.db', 'server-secret']) writeFileSync(join(arriving, name), name)
  mkdirSync(join(into, 'server-secret/in-the-way'), { recursive: true })
  expect(() => completeArrival(into)).toThrow()
  abandonArrival(into)
  // The identity is moved last, so it is not in the folder yet.
  expect(existsSync(join(into, identityFile))).toBe(false)
  rmSync(join(into, 'server-secret'), { recursive: true })
  finishRestore(into)
  expect(arrived(into)).toEqual([identityFile, 'journal.db', 'server-secret'])
  expect(readFileSync(join(into, 'server-secret'), 'utf8')).toBe('server-secret')
})

test('the next restore does not contain data of an unfinished restore', async () => {
  writeFileSync(join(await beginArrival(into), 'journal.db'), 'of last week')
  expect(readdirSync(await beginArrival(into))).toEqual([])
})

function arrived(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !['lock', 'lock-journal', 'owner'].includes(name))
    .sort()
}

function spawnGateway(folder: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  return spawn(process.execPath, [process.env['TESTED_GATEWAY'] ?? '', ...args], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATA_DIR: folder,
      PORT: '0',
      MODEMS: 'virtual',
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function run(folder: string, args: readonly string[], more?: Readonly<Record<string, string>>) {
  const child = spawnGateway(folder, args, more)
  let complaint = ''
  child.stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  const [code] = await once(child, 'close')
  return { code, complaint }
}

async function address(gateway: ChildProcess): Promise<string> {
  if (gateway.stdout === null) throw new Error('the gateway has no output')
  for await (const line of createInterface({ input: gateway.stdout })) {
    const url = /running at {2}(\S+)/.exec(line)?.[1]
    if (url === undefined) continue
    gateway.stdout.resume()
    return url
  }
  throw new Error('the gateway did not start')
}

async function devicesAt(url: string): Promise<object[]> {
  const authorization = `Basic ${Buffer.from(`sms:${given.ADMIN_PASSWORD}`).toString('base64')}`
  return (await fetch(`${url}/3rdparty/v1/devices`, { headers: { authorization } })).json() as Promise<object[]>
}
