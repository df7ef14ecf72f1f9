import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { SmsGateway } from '@smsgw/client'
import { verifyWebhook, type WebhookEvent } from '@smsgw/client/webhook'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import { HouseProcess, ROOT } from './house/machine/process.ts'

const NUMBER = '+447400123456'
let gateway: Gateway
let sms: SmsGateway
let folder: string
let password: string

beforeAll(async () => {
  gateway = await Gateway.start()
  await gateway.untilReady()
  folder = mkdtempSync(join(tmpdir(), 'smsgw-client-command-'))
  const credentials = credentialsIn(gateway.folder)
  password = credentials.password
  sms = new SmsGateway({ url: gateway.url, credentials })
})

afterAll(async () => {
  await gateway?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('login saves the password for this user only, and later commands use it', async () => {
  writeFileSync(join(folder, 'password'), password)
  const bash = `node ${mainScripts.smsgw} login ${gateway.url} --username sms --stdin < ${join(folder, 'password')}`
  const login = new HouseProcess('login', 'bash', ['-c', bash], environment(), { folder: ROOT })
  expect([await login.ended(), login.complaints]).toEqual([0, ''])
  const file = join(folder, 'smsgw/client.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)

  const send = smsgw(['send', NUMBER, 'From the command line'])
  expect(await send.ended()).toBe(0)
  expect(send.lines).toEqual([expect.stringMatching(/^\S+ {2}\+447400123456 {2}(?:Sent|Delivered)$/)])

  const elsewhere = smsgw(['inbox', '--url', 'http://127.0.0.1:9'])
  expect(await elsewhere.ended()).toBe(1)
  expect(elsewhere.complaints).toContain('no credentials for http://127.0.0.1:9')

  chmodSync(file, 0o644)
  const open = smsgw(['inbox'])
  expect(await open.ended()).toBe(1)
  expect(open.complaints).toContain(`run \`chmod 600 ${file}\``)

  const logout = smsgw(['logout'])
  expect(await logout.ended()).toBe(0)
  const after = smsgw(['inbox', '--url', gateway.url])
  expect(await after.ended()).toBe(1)
  expect(after.complaints).toContain('no credentials')
})

test('a wrong password is not saved', async () => {
  const bash = `echo wrong | node ${mainScripts.smsgw} login ${gateway.url} --username sms --stdin`
  const login = new HouseProcess('login', 'bash', ['-c', bash], environment(), { folder: ROOT })
  expect(await login.ended()).toBe(1)
  expect(await smsgw(['logout']).ended()).toBe(0)
})

test('send exits with 1 and names the wrong member or the failure', async () => {
  const wrong = smsgw(['send', 'hello', 'x'], account())
  expect(await wrong.ended()).toBe(1)
  expect(wrong.complaints).toContain('phoneNumbers[0]')
  const failed = smsgw(['send', '+12025550110', 'x'], account())
  expect(await failed.ended()).toBe(1)
  expect(failed.lines).toEqual([expect.stringMatching(/^\S+ {2}\+12025550110 {2}Failed: .+/)])
})

test('send sends to a short code, and with --short-code to other numbers without a country code', async () => {
  const sent = smsgw(['send', '72727', 'STATUS', '--no-wait'], account())
  expect([await sent.ended(), sent.complaints]).toEqual([0, ''])
  const refused = smsgw(['send', '*100#', 'STATUS', '--no-wait'], account())
  expect(await refused.ended()).toBe(1)
  const unchecked = smsgw(['send', '*100#', 'STATUS', '--short-code', '--no-wait'], account())
  expect([await unchecked.ended(), unchecked.complaints]).toEqual([0, ''])
})

test('without an address, a command uses the gateway whose data folder this user may read', async () => {
  const inbox = smsgw(['inbox'], { DATA_DIR: gateway.folder })
  expect([await inbox.ended(), inbox.complaints]).toEqual([0, ''])
  expect(inbox.lines).toEqual(['no received messages'])
})

test('running send twice with the same idempotency key sends one message', async () => {
  const ids = []
  for (let run = 0; run < 2; run += 1) {
    const send = smsgw(['send', NUMBER, 'Once', '--key', 'backup-2026-03-01', '--no-wait'], account())
    await send.ended()
    ids.push(send.lines[0])
  }
  expect(ids[0]).toMatch(/^\S{21}$/)
  expect(ids[1]).toBe(ids[0])
})

test('inbox --follow shows old and new messages once, and control characters escaped', async () => {
  await receive('Before\u001b[2J')
  await eventually(
    async () => (await sms.inbox.list().page()).items,
    (items) => items.length > 0,
  )
  const inbox = smsgw(['inbox', '--follow'], account())
  await inbox.said((line) => (line.endsWith('+447400100200  Before\\x1b[2J') ? line : undefined))
  await receive('After')
  await inbox.said((line) => (line.endsWith('+447400100200  After') ? line : undefined))
  inbox.signal('SIGINT')
  expect(await inbox.ended()).toBe(0)
  expect(inbox.lines).toHaveLength(2)
})

test('listen forwards the events that a webhook would get, signed with its own secret', async () => {
  const [webhookEvents, forwarded] = [await receiver(), await receiver()]
  for (const event of ['sms:received', 'sms:sent', 'sms:delivered', 'sms:failed'] as const)
    await sms.webhooks.register({ url: webhookEvents.url, event })
  const listen = smsgw(['listen', '--forward-to', forwarded.url], account())
  const secret = await listen.said((line) => /^signing secret: (whsec_\S+)$/.exec(line)?.[1])
  await listen.said((line) => (line.startsWith('forwarding events') ? line : undefined))

  await receive('Is anybody there?')
  await sms.messages.send({ to: NUMBER, text: 'x'.repeat(200) })
  await sms.messages.send({ to: '+12025550110', text: 'Fails' })
  await eventually(
    () => [webhookEvents.requests.length, forwarded.requests.length],
    ([one = 0, other = 0]) => one >= 4 && other >= 4,
  )
  const events: WebhookEvent[] = []
  for (const request of forwarded.requests) events.push(await verifyWebhook(request, { secret }))
  const expected = webhookEvents.requests.map(({ body }) => JSON.parse(body) as WebhookEvent)
  expect(events.map(comparable).sort()).toEqual(expected.map(comparable).sort())

  await forwarded.stop()
  await receive('Nobody is there')
  await listen.said((line) =>
    /sms:received {2}\+447400100200 {2}no answer: .*ECONNREFUSED/.test(line) ? line : undefined,
  )
  listen.signal('SIGINT')
  expect(await listen.ended()).toBe(0)
  expect(listen.lines.at(-1)).toBe('4 events forwarded, 1 failed')
  const file = join(folder, 'smsgw/listen-secret')
  expect([statSync(file).mode & 0o777, readFileSync(file, 'utf8').trim()]).toEqual([0o600, secret])
  await webhookEvents.stop()
})

test('listen names a missing option and an unknown event', async () => {
  const without = smsgw(['listen'], account())
  expect([await without.ended(), without.complaints]).toEqual([2, 'smsgw: listen needs --forward-to <url>\n'])
  const unknown = smsgw(['listen', '--forward-to', 'http://127.0.0.1:9', '--events', 'sms:recieved'], account())
  expect(await unknown.ended()).toBe(2)
  expect(unknown.complaints).toContain('"sms:recieved" is not one of sms:received')
})

test('keys creates, lists, rotates and revokes an API key over the API', async () => {
  const options = ['--name', 'door bell', '--scopes', 'messages:send', '--recipients', '+44*', '--per-day', '50']
  const { id, key } = await keyFrom(['keys', 'create', ...options])
  expect(await statusWith(key)).toBe(400)
  const listed = smsgw(['keys', 'list'], account())
  expect(await listed.ended()).toBe(0)
  const line = `${id}  door bell  active  scopes: messages:send  recipients: +44*  today: 0 of 50  last used: `
  expect(listed.lines).toContainEqual(expect.stringContaining(line))
  const next = await keyFrom(['keys', 'rotate', id, '--overlap', '0'])
  expect(next).toMatchObject({ id, name: 'door bell' })
  await expect.poll(async () => [await statusWith(key), await statusWith(next.key)]).toEqual([401, 400])
  const revoke = smsgw(['keys', 'revoke', id], account())
  expect([await revoke.ended(), revoke.lines]).toEqual([0, ['API key door bell revoked']])
  await expect.poll(() => statusWith(next.key)).toBe(401)

  async function keyFrom(args: readonly string[]): Promise<{ id: string; key: string }> {
    const command = smsgw(args, account())
    expect(await command.ended()).toBe(0)
    return JSON.parse(command.lines.join('\n'))
  }

  /** Sends an empty message with the key and returns the HTTP status, which is 400 for a valid key. */
  async function statusWith(apiKey: string): Promise<number> {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    return (await fetch(`${gateway.url}/3rdparty/v1/messages`, { method: 'POST', headers, body: '{}' })).status
  }
})

test.each([
  [['keys', 'create', '--scopes', 'messages:send'], 2, '--name is missing; for example'],
  [['keys', 'create', '--name', 'x', '--scopes', 'logs:read', '--per-day', 'many'], 2, '--per-day "many" must be'],
  [['keys', 'create', '--name', 'x', '--scopes', 'all:all'], 2, '--scopes '],
  [['keys', 'create', '--name', 'x', '--scopes', 'all:any', '--sims', 'shed:1'], 2, '--sims "shed" is not a device'],
  [
    ['keys', 'create', '--name', 'x', '--scopes', 'logs:read', '--recipients', 'mum'],
    2,
    '--recipients "mum" is neither',
  ],
  [['keys', 'rotate', 'nothing'], 1, 'No API key has this id'],
  [['keys', 'revoke', 'nothing'], 1, 'there is no active API key "nothing"'],
  [['keys'], 2, 'keys needs a command: create, list, rotate, revoke'],
])('%j fails with one line', async (args, code, words) => {
  const command = smsgw(args, account())
  expect([await command.ended(), command.complaints.trim().split('\n').length]).toEqual([code, 1])
  expect(command.complaints).toContain(words)
})

/** Returns the members that are the same for each webhook, with times as instants. */
function comparable({ event, deviceId, payload }: WebhookEvent): string {
  const members = Object.entries(payload).map(([name, value]) => [name, /At$/.test(name) ? Date.parse(value) : value])
  return JSON.stringify([event, deviceId, ...members.sort()])
}

function smsgw(args: readonly string[], settings: Record<string, string> = {}): HouseProcess {
  return new HouseProcess('smsgw', mainScripts.smsgw, args, { ...environment(), ...settings })
}

function environment(): Record<string, string> {
  return { XDG_CONFIG_HOME: folder, DATA_DIR: join(folder, 'no-gateway-here') }
}

function account(): Record<string, string> {
  return { SMSGW_URL: gateway.url, SMSGW_USERNAME: 'sms', SMSGW_PASSWORD: password }
}

async function receive(message: string): Promise<void> {
  await sms.request({ method: 'POST', path: '/virtual-phone', body: { from: '+447400100200', text: message } })
}

async function receiver() {
  const requests: { headers: Record<string, string | string[] | undefined>; body: string }[] = []
  const server = createServer(async (request, response) => {
    requests.push({ headers: request.headers, body: await text(request) })
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/`, requests, stop }
}
