import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { webhookEnvelope } from '@smsgw/contract/webhooks/webhook-event'
import { freePort } from '@smsgw/daemon/testing/free-port'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { addressRules } from './address-rules.ts'
import { GuardedClient } from './delivery/client/guarded-client.ts'
import { deliveryHeaders, signingKeys } from './delivery/delivery-request.ts'

const OLD_SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const document = readFileSync(join(import.meta.dirname, '../../../../docs/webhooks.md'), 'utf8')
const body = JSON.stringify({ id: 'e1', event: 'sms:received', payload: { message: 'Zürich 👍', backslash: '\\' } })

/** The content of each code block that has a title, by this title. The title follows the language of the block. */
const blocks = new Map(
  [...document.matchAll(/^```\w+ (.+)\n([\s\S]*?)^```$/gm)].map(([, title = '', content = '']) => [title, content]),
)

const rules = addressRules({ allowHttp: true, allowNetworks: ['127.0.0.1'], localServerMode: false })
const client = new GuardedClient(rules)
const examples = join(import.meta.dirname, '../../../../docs/examples')
const builds = mkdtempSync(join(tmpdir(), 'smsgw-examples-'))
const ending: (() => unknown)[] = []
afterAll(async () => {
  for (const end of ending) end()
  await client.close()
  rmSync(builds, { recursive: true, force: true })
})

interface Signed {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Signs a request in the same way as a delivery that is sent at that time. */
function signed({ at = Date.now(), secret = SECRET, previousSecret, content = body }: Signing = {}): Signed {
  const keys = signingKeys({ signingKey: undefined, secret, previousSecret })
  const headers = deliveryHeaders(keys, { id: 'e1', body: content, unixSeconds: Math.floor(at / 1000) })
  return { headers, body: content }
}

interface Signing {
  readonly content?: string
  readonly at?: number
  readonly secret?: string
  readonly previousSecret?: string
}

const minutes = (count: number) => Date.now() + count * 60_000
const forged: [string, () => Signed][] = [
  ['another body', () => ({ ...signed(), body: body.replace('Zürich', 'Berlin') })],
  ['another key', () => signed({ secret: OLD_SECRET })],
  ['a request from ten minutes ago', () => signed({ at: minutes(-10) })],
  ['a request from the future', () => signed({ at: minutes(10) })],
  ['another id', () => ({ ...signed(), headers: { ...signed().headers, 'webhook-id': 'e2' } })],
  ['no signature', () => ({ ...signed(), headers: { 'webhook-id': 'e1', 'webhook-timestamp': '1' } })],
  ['a timestamp of words', () => ({ ...signed(), headers: { ...signed().headers, 'webhook-timestamp': 'soon' } })],
  [
    'a signature of rubbish',
    () => ({ ...signed(), headers: { ...signed().headers, 'webhook-signature': 'v1,ü v1,' } }),
  ],
]

/** The documented receivers. Each has the interpreter or compiler that it needs, and the command that starts it. */
const receivers: [name: string, tool: string, start: (port: string) => [command: string, ...args: string[]]][] = [
  ['Node', process.execPath, () => [process.execPath, join(examples, 'receiver.mjs')]],
  ['Python', 'python3', () => ['python3', join(examples, 'receiver.py')]],
  ['PHP', 'php', (port) => ['php', '-S', `127.0.0.1:${port}`, join(examples, 'receiver.php')]],
  ['Go', 'go', () => [builtGoReceiver()]],
]

describe.each(
  receivers.map(
    ([name, tool, start]) => [isInstalled(tool) ? name : `${name} (skipped: no ${tool} here)`, tool, start] as const,
  ),
)('the receiver in %s', (_, tool, start) => {
  if (!isInstalled(tool)) return test.skip('needs its interpreter', () => undefined)
  let url: string
  let receiver: ChildProcess
  beforeAll(async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}/`
    const [command, ...args] = start(String(port))
    const env = { PATH: process.env['PATH'], HOME: builds, PORT: String(port), WEBHOOK_SECRET: SECRET }
    receiver = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
    let errors = ''
    receiver.stderr?.on('data', (chunk) => (errors += chunk))
    receiver.once('exit', () => process.stderr.write(errors))
    ending.push(() => receiver.removeAllListeners('exit').kill('SIGKILL'))
    await vi.waitUntil(async () => (await status({ headers: {}, body: '{}' })) !== undefined, { timeout: 90_000 })
  }, 600_000)

  async function status({ headers, body }: Signed): Promise<number | undefined> {
    const outcome = await client.post(url, headers, body)
    return outcome.kind === 'replied' ? outcome.reply.status : undefined
  }

  test('accepts a genuine request, also while a secret is being replaced', async () => {
    expect(await status(signed())).toBe(204)
    expect(await status(signed({ secret: OLD_SECRET, previousSecret: SECRET }))).toBe(204)
    expect(await status(signed({ previousSecret: OLD_SECRET }))).toBe(204)
  })

  test.each(forged)('refuses %s', async (__, make) => {
    expect(await status(make())).toBe(401)
  })

  test.each([
    ['text that is not JSON', 'hello'],
    ['an empty body', ''],
    ['null', 'null'],
    ['a list', '[1, 2]'],
    ['an event without an id', '{"event":"sms:received"}'],
    ['an id that is not a string', '{"id":{"toString":1}}'],
    ['100 000 nested lists', '['.repeat(100_000)],
  ])('answers 400 to a genuine request with %s', async (__, content) => {
    expect(await status(signed({ content }))).toBe(400)
  })

  test('keeps running after malformed requests', async () => {
    const { port } = new URL(url)
    const post = 'POST / HTTP/1.1\r\nHost: x\r\n'
    for (const bytes of [
      '\x00\xff\x00\xff\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
      `${post}Content-Length: -1\r\n\r\n`,
      `${post}Content-Length: 99999999999999999999\r\n\r\n`,
      `${post}Content-Length: many\r\n\r\n{}`,
      `${post}Content-Length: 1000\r\n\r\nonly the beginning`,
      `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      `${post}webhook-timestamp: \xb2\r\nwebhook-signature: v1\r\nContent-Length: 2\r\n\r\n{}`,
    ])
      await sentAndClosed(Number(port), Buffer.from(bytes, 'latin1'))
    expect(receiver.exitCode).toBeNull()
    expect(await status(signed())).toBe(204)
  })
})

function isInstalled(tool: string): boolean {
  return [process.execPath, 'python3'].includes(tool) || spawnSync(tool, ['version']).error === undefined
}

function builtGoReceiver(): string {
  const program = join(builds, 'receiver')
  // Without optimization, the first build on a machine needs less time. It also compiles Go's library.
  const flags = ['-gcflags=all=-N -l', '-o', program]
  execFileSync('go', ['build', ...flags, join(examples, 'receiver.go')], { cwd: builds })
  return program
}

/** Sends bytes, waits a moment for an answer of the receiver, then closes the connection. */
async function sentAndClosed(port: number, bytes: Buffer): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.setTimeout(200, () => socket.resetAndDestroy())
  socket.resume().write(bytes)
  await once(socket, 'close')
}

describe('the shell script', () => {
  function isTaken({ headers, body }: Signed, key = SECRET): boolean {
    const args = [join(examples, 'verify.sh'), key, headers['x-timestamp'] ?? '', headers['x-signature'] ?? '']
    try {
      execFileSync('sh', args, { input: body, stdio: ['pipe', 'ignore', 'ignore'] })
      return true
    } catch {
      return false
    }
  }

  test('accepts a signed request, with the old secret while it is being replaced', () => {
    expect(isTaken(signed())).toBe(true)
    expect(isTaken(signed({ secret: OLD_SECRET, previousSecret: SECRET }))).toBe(true)
  })

  test.each(['', 'soon', '0', '1e9', 'a[$(touch /tmp/x)]', '1 - 1', '12345678901234'])(
    'refuses the timestamp %j',
    (timestamp) => {
      const { headers } = signed()
      expect(isTaken({ body, headers: { ...headers, 'x-timestamp': timestamp } })).toBe(false)
    },
  )

  test.each(forged.filter(([title]) => !/another id|words|rubbish/.test(title)))('refuses %s', (_, make) => {
    expect(isTaken(make())).toBe(false)
  })
})

test('the documented payloads are exactly the golden payloads', () => {
  const golden = JSON.parse(readFileSync(join(import.meta.dirname, 'outbox/golden-payloads.json'), 'utf8'))
  const shown = [...blocks].filter(([title]) => title in golden).map(([title, content]) => [title, JSON.parse(content)])
  expect(Object.fromEntries(shown)).toEqual(golden)
})

test('the documented envelope is valid around a documented payload', () => {
  const envelope = JSON.parse(blocks.get('the envelope') ?? '')
  const payload = JSON.parse(blocks.get('a text received on the second SIM') ?? '')
  expect(webhookEnvelope.parse({ ...envelope, payload })).toEqual({ ...envelope, payload })
})
