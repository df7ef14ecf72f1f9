import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { openLog } from '@smsgw/daemon/log/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readChannels } from '../config.ts'
import { openState } from '../state/bridge-state.ts'
import type { RunningChannel } from '../state/channel.ts'
import { steadyNow } from '../state/steady-clock.ts'
import { ScriptedAccount } from '../testing/account.ts'
import { chatSender } from './chat-sender.ts'
import type { ChatConfig } from './chat-settings.ts'
import { startChatBridge } from './start-chat-bridge.ts'

const sink = new Writable({
  write(line, _, done) {
    logged += String(line)
    done()
  },
})
let folder: string
let account: ScriptedAccount
let url: string
let logged: string
/** The requests that the chat programs received, and their answers. */
let posts: { path: string; json: Record<string, unknown> }[]
let statusFor: (path: string) => number
let answerAfterMs: number
const server = createServer(async (request, response) => {
  const path = request.url ?? ''
  posts.push({ path, json: JSON.parse(await text(request)) })
  await new Promise((resolve) => setTimeout(resolve, answerAfterMs))
  response.writeHead(statusFor(path)).end()
})
const running: RunningChannel[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-chat-'))
  account = new ScriptedAccount()
  posts = []
  logged = ''
  statusFor = () => 200
  answerAfterMs = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  for (const bridge of running.splice(0)) await bridge.stop()
  await new Promise((resolve) => server.close(resolve))
  rmSync(folder, { recursive: true, force: true })
})

async function start(settings: Readonly<Record<string, string>>, now = steadyNow): Promise<RunningChannel> {
  const config = readChannels(settings)?.chat as ChatConfig
  const sender = chatSender({
    targets: config.CHAT_URLS,
    folder: join(folder, 'chat'),
    program: join(folder, 'apprise'),
  })
  const opened = Promise.withResolvers<void>()
  account.onOpened = opened.resolve
  const log = openLog('warn', sink)
  const database = openState(folder)
  const bridge = startChatBridge({
    config,
    api: account.client(),
    database,
    log,
    sender,
    firstRetryMs: 20,
    now,
  })
  const stopped = {
    report: bridge.report,
    async stop() {
      await bridge.stop()
      database.close()
    },
  }
  running.push(stopped)
  await opened.promise
  return stopped
}

async function stop(bridge: RunningChannel): Promise<void> {
  running.splice(running.indexOf(bridge), 1)
  await bridge.stop()
}

const textsAt = (path: string) => posts.filter((post) => post.path === path).map(({ json }) => json['text'])

/** Replaces `apprise`: appends its configuration and input to a file, and fails while the file `fail` exists. */
function installApprise(): void {
  const script = `#!/bin/sh
if [ -e "${folder}/fail" ]; then echo "cannot notify tgram://token/1" >&2; exit 1; fi
cat "$2" - >> "${folder}/notified"
`
  writeFileSync(join(folder, 'apprise'), script)
  chmodSync(join(folder, 'apprise'), 0o755)
}

test('waits for the answer of a chat when it stops, so that a text is shown only once', async () => {
  answerAfterMs = 500
  const first = await start({ CHAT_URLS: `${url}/a` })
  account.receive('one')
  await expect.poll(() => textsAt('/a')).toHaveLength(1)
  await stop(first)
  answerAfterMs = 0
  await start({ CHAT_URLS: `${url}/a` })
  account.receive('two')
  await expect.poll(() => textsAt('/a')).toContain('SMS from +447400123456: two')
  expect(textsAt('/a')).toHaveLength(2)
})

test('reports the address that does not accept texts, by its tag and without secrets', async () => {
  statusFor = (path) => (path === '/secret' ? 500 : 200)
  const bridge = await start({ CHAT_URLS: `office=${url}/secret ${url}/b` })
  await expect.poll(() => bridge.report().problem).toBeUndefined()
  account.receive('one')
  await expect
    .poll(() => bridge.report().problem)
    .toMatch(/^office does not accept texts: 127.0.0.1:\d+ answers HTTP 500$/)
  statusFor = () => 200
  await expect.poll(() => bridge.report().problem).toBeUndefined()
})

test('shows each received message once, including messages that arrived while the bridge was stopped', async () => {
  const first = await start({ CHAT_URLS: `${url}/a` })
  account.receive('one')
  await expect.poll(() => textsAt('/a')).toEqual(['SMS from +447400123456: one'])
  await stop(first)
  account.receive('two')
  await start({ CHAT_URLS: `${url}/a`, CHAT_TEMPLATE: '{text} / {sender} / {unknown}' })
  await expect.poll(() => textsAt('/a')).toEqual(['SMS from +447400123456: one', 'two / +447400123456 / {unknown}'])
})

test('sends texts to a failing chat later and in order, without delaying other chats', async () => {
  statusFor = (path) => (path === '/broken' ? 503 : 200)
  await start({ CHAT_URLS: `${url}/broken ${url}/well` })
  account.receive('one')
  account.receive('two')
  await expect.poll(() => textsAt('/well')).toHaveLength(2)
  expect(new Set(textsAt('/broken'))).toEqual(new Set(['SMS from +447400123456: one']))
  statusFor = () => 200
  await expect.poll(() => textsAt('/broken').at(-1)).toBe('SMS from +447400123456: two')
  expect(textsAt('/well')).toHaveLength(2)
})

test('keeps waiting texts after a restart, and drops texts for a chat that was removed from the settings', async () => {
  statusFor = () => 500
  const first = await start({ CHAT_URLS: `${url}/a ${url}/b` })
  account.receive('one')
  await expect.poll(() => posts.length).toBeGreaterThan(3)
  await stop(first)
  posts = []
  statusFor = () => 200
  await start({ CHAT_URLS: `${url}/b` })
  await expect.poll(() => textsAt('/b')).toEqual(['SMS from +447400123456: one'])
  expect(textsAt('/a')).toEqual([])
  expect(logged).toContain('texts dropped: their chats are no longer in CHAT_URLS')
})

test('drops a text that a chat did not accept for three days, with a log entry', async () => {
  let time = Date.now()
  statusFor = () => 500
  await start({ CHAT_URLS: `${url}/a` }, () => time)
  account.receive('one')
  await expect.poll(() => posts.length).toBeGreaterThan(0)
  time += 3 * 86_400_000 + 60_000
  await expect.poll(() => logged).toContain('text dropped: a chat did not accept it for three days')
  statusFor = () => 200
  account.receive('two')
  await expect.poll(() => textsAt('/a').at(-1)).toBe('SMS from +447400123456: two')
})

test('does not block later texts with a text that a chat always refuses', async () => {
  statusFor = () => (String(posts.at(-1)?.json['text']).endsWith('refused') ? 400 : 200)
  await start({ CHAT_URLS: `${url}/a` })
  account.receive('refused')
  account.receive('accepted')
  await expect.poll(() => textsAt('/a').at(-1)).toBe('SMS from +447400123456: accepted')
  expect(textsAt('/a')).toHaveLength(4)
  expect(logged).toContain('text dropped: a chat refused it')
})

test('rules choose the chats by the sender', async () => {
  const urls = `uk=${url}/uk bank=${url}/bank ${url}/untagged`
  await start({ CHAT_URLS: urls, CHAT_RULES: '+44*=uk,bank=bank,+1*=nobody' })
  account.receive('from the UK')
  await expect.poll(() => textsAt('/uk')).toHaveLength(1)
  expect([textsAt('/bank'), textsAt('/untagged')]).toEqual([[], []])
  expect(logged).toContain('nobody')
})

test('passes other addresses to apprise in a file that only this user can read, with the text as its input', async () => {
  installApprise()
  const bridge = await start({ CHAT_URLS: 'tgram://123:token/987' })
  account.receive('code 1234; $(rm -rf /) --attach=/etc/passwd')
  const notified = () => (existsSync(join(folder, 'notified')) ? readFileSync(join(folder, 'notified'), 'utf8') : '')
  await expect
    .poll(notified)
    .toBe('tgram://123:token/987\nSMS from +447400123456: code 1234; $(rm -rf /) --attach=/etc/passwd')
  expect(statSync(join(folder, 'chat')).mode & 0o777).toBe(0o700)
  await stop(bridge)
  expect(existsSync(join(folder, 'chat'))).toBe(false)
})

test('repeats a failed call of apprise, and logs neither the address nor its token', async () => {
  installApprise()
  writeFileSync(join(folder, 'fail'), '')
  await start({ CHAT_URLS: 'tgram://123:token/987' })
  account.receive('one')
  await expect.poll(() => logged).toContain('apprise exited with code 1: cannot notify …')
  expect(logged).not.toContain('token')
  rmSync(join(folder, 'fail'))
  await expect.poll(() => existsSync(join(folder, 'notified'))).toBe(true)
})

test('shortens long texts', async () => {
  await start({ CHAT_URLS: `${url}/a` })
  account.receive('😀'.repeat(3_000))
  await expect.poll(() => textsAt('/a')).toHaveLength(1)
  const shown = String(textsAt('/a')[0])
  expect([...shown]).toHaveLength(1_900)
  expect(shown.endsWith('😀…')).toBe(true)
})

test.each([
  ['hello', 'CHAT_URLS must be a list of addresses'],
  [`https://a.example/secret https://a.example/secret`, 'CHAT_URLS contains an address twice'],
])('CHAT_URLS=%s is refused without showing it', (value, problem) => {
  expect(() => readChannels({ CHAT_URLS: value })).toThrow(problem)
  try {
    readChannels({ CHAT_URLS: value })
  } catch (error) {
    expect((error as Error).message).not.toContain('a.example/secret')
  }
})
