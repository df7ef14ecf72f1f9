import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'

const PHONE = '+447400123456'
let folder: string
let running: Running | undefined

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-gateway-'))
})

afterAll(async () => {
  await stop('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

test('a first start needs nothing, says where it is and who may use it, and is loud about a virtual modem', async () => {
  running = await start()
  const said = running.lines.join('\n')
  expect(said).toContain('A VIRTUAL ONE')
  expect(said).toContain('curl -u')
  expect(statSync(join(folder, 'credentials.json')).mode & 0o077).toBe(0)
  expect(statSync(join(folder, 'server-secret')).mode & 0o077).toBe(0)
  // This is no terminal: what reads it may keep it.
  expect(said).toContain(join(folder, 'credentials.json'))
  expect(said).not.toContain(password())
}, 120_000)

test('a message goes out by the modem and is delivered', async () => {
  const id = await send('Hello')
  await until(async () => (await ask(`/messages/${id}`)).state === 'Delivered')
}, 60_000)

test('the phone that it went to shows it, and what that phone answers is received', async () => {
  const before = await ask('/virtual-phone')
  expect(before.messages[0]).toMatchObject({ from: before.gatewayNumber, to: PHONE, text: 'Hello' })
  const answer = { from: before.phones[0], text: 'A long answer 🙂 '.repeat(20) }
  expect((await request('POST', '/virtual-phone', answer)).status).toBe(202)
  await until(async () => (await ask('/inbox')).length > 0)
  expect(await ask('/inbox')).toMatchObject([{ sender: PHONE, recipient: before.gatewayNumber, text: answer.text }])
  expect((await ask('/virtual-phone')).messages[0]).toMatchObject({ ...answer, direction: 'to-gateway' })
}, 60_000)

test('the built-in device shows its modem, and is examined', async () => {
  const [{ id }] = await ask('/devices')
  await until(async () => (await ask(`/devices/${id}`)).modems[0]?.state === 'ready')
  expect(await ask(`/devices/${id}`)).toMatchObject({
    online: true,
    platform: `${process.platform} ${process.arch}`,
    queue: { pending: 0, processed: 0 },
    journal: { sizeBytes: expect.any(Number) },
    modems: [{ simNumber: 1, manufacturer: 'Quectel', model: 'EC25', registration: 'home' }],
  })
  expect((await ask(`/devices/${id}/telemetry`)).at(-1)).toMatchObject({ simNumber: 1, queue: expect.any(Number) })
  const examined = await request('POST', `/devices/${id}/findings`)
  expect(examined.status).toBe(200)
  const { findings } = (await examined.json()) as { findings: object[] }
  expect(findings).toContainEqual({ check: 'modems', verdict: 'ok', text: expect.stringContaining('virtual') })
  expect(findings).toContainEqual(expect.objectContaining({ check: 'SIM 1, network', verdict: 'ok' }))
  expect(findings).not.toContainEqual(expect.objectContaining({ verdict: 'problem' }))
}, 60_000)

test('it is Local Server mode: no tokens, and the built-in device cannot be deleted', async () => {
  expect((await request('POST', '/auth/token', { ttl: 60, scopes: ['all:any'] })).status).toBe(501)
  const [device] = await ask('/devices')
  expect((await request('DELETE', `/devices/${device.id}`)).status).toBe(409)
}, 60_000)

test('a new password opens everything at once, and the file holds it', async () => {
  const before = password()
  const change = { currentPassword: before, newPassword: 'coffee at a quarter to five' }
  expect((await request('POST', '/account/password', change)).status).toBe(204)
  expect(password()).toBe(change.newPassword)
  expect(statSync(join(folder, 'credentials.json')).mode & 0o777).toBe(0o600)
  expect((await request('GET', '/devices')).status).toBe(200)
  const old = `Basic ${Buffer.from(`sms:${before}`).toString('base64')}`
  expect((await fetch(`${running?.url}/3rdparty/v1/devices`, { headers: { authorization: old } })).status).toBe(401)
}, 60_000)

test('a second start on the same folder is refused in one line that says who has it', async () => {
  const second = spawnGateway()
  let complaint = ''
  second.stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  const [code] = await once(second, 'exit')
  expect(code).toBe(1)
  expect(complaint).toContain(`in use by process ${running?.child.pid}`)
  expect(complaint.trim().split('\n')).toHaveLength(1)
}, 60_000)

test('killed and started a moment later it finds everything again, and does not show the password twice', async () => {
  const id = await send('Before the power cut')
  await stop('SIGKILL')
  await new Promise((resolve) => setTimeout(resolve, 100))
  running = await start()
  expect(running.lines.join('\n')).not.toContain(password())
  await until(async () => ['Delivered', 'Sent', 'Failed'].includes((await ask(`/messages/${id}`)).state))
  const after = await send('After it')
  await until(async () => (await ask(`/messages/${after}`)).state === 'Delivered')
}, 120_000)

test('its secrets may be in files, and a file that is not there is one clear line', async () => {
  const gateway = spawnGateway({ DATA_DIR: join(folder, 'other'), SERVER_SECRET_FILE: '/gone' })
  let complaint = ''
  gateway.stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  const [code] = await once(gateway, 'exit')
  expect(code).toBe(1)
  expect(complaint).toContain('SERVER_SECRET_FILE names a file that cannot be read')
}, 60_000)

test('it ends in good order', async () => {
  expect(await stop('SIGTERM')).toBe(0)
}, 60_000)

interface Running {
  readonly child: ChildProcess
  readonly lines: string[]
  readonly url: string
}

function spawnGateway(more: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: { PATH: process.env['PATH'], DATA_DIR: folder, PORT: '0', MODEMS: 'virtual', ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function start(): Promise<Running> {
  const child = spawnGateway()
  const lines: string[] = []
  let complaint = ''
  child.stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  const url = await new Promise<string>((resolve, reject) => {
    if (child.stdout === null) throw new Error('it has no output')
    let found: string | undefined
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line)
      found ??= /running at {2}(\S+)/.exec(line)?.[1]
      if (line.includes('Ctrl-C ends it') && found !== undefined) resolve(found)
    })
    child.once('close', () => reject(new Error(`it did not start: ${complaint}${lines.join('\n')}`)))
  })
  return { child, lines, url }
}

async function stop(signal: NodeJS.Signals): Promise<number | null> {
  const child = running?.child
  running = undefined
  if (child === undefined || child.exitCode !== null) return child?.exitCode ?? null
  child.kill(signal)
  const [code] = await once(child, 'exit')
  return code
}

function password(): string {
  return JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8')).password
}

function request(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${running?.url}/3rdparty/v1${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`sms:${password()}`).toString('base64')}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of any endpoint, looked into by the test that asked.
async function ask(path: string): Promise<any> {
  return (await request('GET', path)).json()
}

async function send(text: string): Promise<string> {
  const response = await request('POST', '/messages', { phoneNumbers: [PHONE], textMessage: { text } })
  expect(response.status).toBe(202)
  return ((await response.json()) as { id: string }).id
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50))
}
