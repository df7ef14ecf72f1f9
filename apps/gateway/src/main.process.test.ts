import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { openJournalFile } from '@smsgw/agent/journal/journal-file'
import { afterAll, beforeAll, expect, test } from 'vitest'

const PHONE = '+447400123456'
const TLS_CERT = resolve(import.meta.dirname, '../../relay/src/testing/certificate/first.crt')
const TLS_KEY = TLS_CERT.replace('.crt', '.key')
let folder: string
let running: Running | undefined

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-gateway-'))
})

afterAll(async () => {
  await stop('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

test('the first start needs no settings, shows URL and account, and warns about the virtual modem', async () => {
  running = await start()
  const output = running.lines.join('\n')
  expect(output).toContain('VIRTUAL MODEM')
  expect(output).toContain('curl -u')
  expect(statSync(join(folder, 'credentials.json')).mode & 0o077).toBe(0)
  expect(statSync(join(folder, 'server-secret')).mode & 0o077).toBe(0)
  // The password is not shown, because the output is not a terminal.
  expect(output).toContain(join(folder, 'credentials.json'))
  expect(output).not.toContain(password())
})

test('sends a message through the virtual modem, and it is delivered', async () => {
  const id = await send('Hello')
  await until(async () => (await ask(`/messages/${id}`)).state === 'Delivered')
})

test('the virtual phone shows the message, and its reply is received', async () => {
  const before = await ask('/virtual-phone')
  expect(before.messages[0]).toMatchObject({ from: before.gatewayNumber, to: PHONE, text: 'Hello' })
  const answer = { from: before.phones[0], text: 'A long answer 🙂 '.repeat(20) }
  expect((await request('POST', '/virtual-phone', answer)).status).toBe(202)
  await until(async () => (await ask('/inbox')).length > 0)
  expect(await ask('/inbox')).toMatchObject([{ sender: PHONE, recipient: before.gatewayNumber, text: answer.text }])
  expect((await ask('/virtual-phone')).messages[0]).toMatchObject({ ...answer, direction: 'to-gateway' })
})

test('the built-in device shows its modem, and the doctor finds no problem', async () => {
  const [{ id }] = await ask('/devices')
  await until(async () => (await ask(`/devices/${id}`)).modems[0]?.state === 'ready')
  expect(await ask(`/devices/${id}`)).toMatchObject({
    online: true,
    isEmulated: true,
    platform: `${process.platform} ${process.arch}`,
    queue: { pending: 0, processed: 0 },
    journal: { sizeBytes: expect.any(Number) },
    modems: [{ simNumber: 1, manufacturer: 'Quectel', model: 'EC25', registration: 'home' }],
  })
  expect((await ask(`/devices/${id}/telemetry`)).at(-1)).toMatchObject({ simNumber: 1, queue: expect.any(Number) })
  const examined = await request('POST', `/devices/${id}/findings`)
  expect(examined.status).toBe(200)
  const { findings } = (await examined.json()) as { findings: object[] }
  expect(findings).toContainEqual(expect.objectContaining({ check: 'modems', verdict: 'ok', code: 'modems.virtual' }))
  expect(findings).toContainEqual(expect.objectContaining({ check: 'SIM 1, network', verdict: 'ok' }))
  expect(findings).not.toContainEqual(expect.objectContaining({ verdict: 'problem' }))
})

test('in Local Server mode there are no tokens, and the built-in device cannot be deleted', async () => {
  expect((await request('POST', '/auth/token', { ttl: 60, scopes: ['all:any'] })).status).toBe(501)
  const [device] = await ask('/devices')
  expect((await request('DELETE', `/devices/${device.id}`)).status).toBe(409)
})

test('an API key from the command line sends a message, and is refused after its revocation', async () => {
  const options = ['--name', 'door bell', '--scopes', 'messages:send', '--recipients', PHONE]
  const { id, key } = JSON.parse(await keys('create', ...options))
  const sendWith = async (number: string) => {
    const body = { phoneNumbers: [number], textMessage: { text: 'Somebody is at the door' } }
    return await request('POST', '/messages', body, { 'x-api-key': key })
  }
  const sent = await sendWith(PHONE)
  expect([sent.status, await sent.json()]).toEqual([
    202,
    expect.objectContaining({ sentBy: { kind: 'key', keyId: id, keyName: 'door bell' } }),
  ])
  expect(await (await sendWith('+447400123457')).json()).toMatchObject({ status: 403, reason: 'key_recipient_limit' })
  expect(await keys('list')).toContain(`${id}  door bell  active`)
  expect(await keys('revoke', id)).toBe('API key door bell revoked\n')
  await until(async () => (await sendWith(PHONE)).status === 401)
})

test('a changed password works at once and is written to the credentials file', async () => {
  const before = password()
  const change = { currentPassword: before, newPassword: 'coffee at a quarter to five' }
  expect((await request('POST', '/account/password', change)).status).toBe(204)
  expect(password()).toBe(change.newPassword)
  expect(statSync(join(folder, 'credentials.json')).mode & 0o777).toBe(0o600)
  expect((await request('GET', '/devices')).status).toBe(200)
  const old = `Basic ${Buffer.from(`sms:${before}`).toString('base64')}`
  expect((await fetch(`${running?.url}/3rdparty/v1/devices`, { headers: { authorization: old } })).status).toBe(401)
})

test('refuses a second start on the same folder and names the process that uses it', async () => {
  const second = spawnGateway()
  let complaint = ''
  second.stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  const [code] = await once(second, 'exit')
  expect(code).toBe(1)
  expect(complaint).toContain(`in use by process ${running?.child.pid}`)
  expect(complaint.trim().split('\n')).toHaveLength(1)
})

test('after a kill, restarts at once with all data, and does not show the password again', async () => {
  const id = await send('Before the power cut')
  await stop('SIGKILL')
  await new Promise((resolve) => setTimeout(resolve, 100))
  running = await start()
  expect(running.lines.join('\n')).not.toContain(password())
  await until(async () => ['Delivered', 'Sent', 'Failed'].includes((await ask(`/messages/${id}`)).state))
  const after = await send('After it')
  await until(async () => (await ask(`/messages/${after}`)).state === 'Delivered')
})

test('a missing secret file stops the start with one line', async () => {
  const gateway = spawnGateway({ DATA_DIR: join(folder, 'other'), SERVER_SECRET_FILE: '/gone' })
  let complaint = ''
  gateway.stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  const [code] = await once(gateway, 'exit')
  expect(code).toBe(1)
  expect(complaint).toContain('SERVER_SECRET_FILE: cannot read the file')
})

test('a chat that needs a missing program stops the start before the database is created', async () => {
  const gateway = spawnGateway({ DATA_DIR: join(folder, 'chat'), CHAT_URLS: 'tgram://token/1', PATH: folder })
  let complaint = ''
  gateway.stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  const [code] = await once(gateway, 'exit')
  expect(code).toBe(1)
  expect(complaint).toContain('CHAT_URLS needs the program apprise')
  expect(existsSync(join(folder, 'chat', 'bridge'))).toBe(false)
  expect(existsSync(join(folder, 'chat', 'database'))).toBe(false)
})

test.each([
  ['without an address that the certificate names', { TLS_CERT, TLS_KEY }, 'the bridge needs'],
  ['with an invalid address', { SMSGW_URL: 'sms.example.org' }, 'SMSGW_URL must begin with https:// or http://'],
])('a bridge %s stops the start before the database is created', async (_, settings, words) => {
  const data = mkdtempSync(join(folder, 'bridge-'))
  const gateway = spawnGateway({ DATA_DIR: data, CHAT_URLS: 'https://chat.example/hook', ...settings }, [], data)
  let complaint = ''
  gateway.stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  const [code] = await once(gateway, 'exit')
  expect(code).toBe(1)
  expect(complaint).toContain(words)
  expect(existsSync(join(data, 'database'))).toBe(false)
})

test('stops cleanly on SIGTERM', async () => {
  expect(await stop('SIGTERM')).toBe(0)
})

test('without a connected modem, starts no virtual modem if a real modem was used before', async () => {
  const used = mkdtempSync(join(folder, 'used-'))
  // Uses the database of the stopped gateway if the tests before have run, because creating another one takes most of
  // the time of a first start.
  for (const name of ['database', 'server-secret', 'credentials.json'].filter((name) => existsSync(join(folder, name))))
    cpSync(join(folder, name), join(used, name), { recursive: true })
  const { database } = openJournalFile(join(used, 'journal.db'), 'journal', 0)
  const slots = { 35693803564809: { simNumber: 1, isEmulated: false } }
  database.prepare('INSERT INTO notes (name, value) VALUES (?, ?)').run('sim-slots', JSON.stringify(slots))
  database.close()
  const { child, lines } = await start({ DATA_DIR: used, MODEMS: 'auto' })
  child.kill('SIGTERM')
  await once(child, 'exit')
  expect(lines.join('\n')).not.toContain('VIRTUAL MODEM')
})

interface Running {
  readonly child: ChildProcess
  readonly lines: string[]
  readonly url: string
}

function spawnGateway(
  more: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  cwd?: string,
): ChildProcess {
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
    cwd,
  })
}

/** Runs `gateway keys …` while the gateway is running, and returns the output. */
async function keys(...args: readonly string[]): Promise<string> {
  const child = spawnGateway({}, ['keys', ...args])
  let output = ''
  let complaint = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (complaint += chunk))
  await once(child, 'close')
  expect(complaint).toBe('')
  return output
}

async function start(more: Readonly<Record<string, string>> = {}): Promise<Running> {
  const child = spawnGateway(more)
  const lines: string[] = []
  let complaint = ''
  child.stderr?.on('data', (chunk) => {
    complaint += chunk
  })
  const url = await new Promise<string>((resolve, reject) => {
    if (child.stdout === null) throw new Error('the gateway has no output')
    let found: string | undefined
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line)
      found ??= /running at {2}(\S+)/.exec(line)?.[1]
      if (line.includes('Press Ctrl-C to stop') && found !== undefined) resolve(found)
    })
    child.once('close', () => reject(new Error(`the gateway did not start: ${complaint}${lines.join('\n')}`)))
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

function request(
  method: string,
  path: string,
  body?: object,
  credentials: Record<string, string> = {
    authorization: `Basic ${Buffer.from(`sms:${password()}`).toString('base64')}`,
  },
): Promise<Response> {
  return fetch(`${running?.url}/3rdparty/v1${path}`, {
    method,
    headers: {
      ...credentials,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

// biome-ignore lint/suspicious/noExplicitAny: the answer of any endpoint, inspected by the tests.
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
