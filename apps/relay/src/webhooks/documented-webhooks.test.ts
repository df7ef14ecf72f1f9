import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { webhookEnvelope } from '@smsgw/contract/webhook-event'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { addressRules } from './address-rules.ts'
import { deliveryHeaders, signingKeys } from './delivery/delivery-headers.ts'
import { GuardedClient } from './delivery/guarded-client.ts'

const OLD_SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const document = readFileSync(join(import.meta.dirname, '../../../../docs/webhooks.md'), 'utf8')
const body = JSON.stringify({ payload: { message: 'Zürich 👍', backslash: '\\' } })

/** What stands in a block, by the words behind its language. */
const blocks = new Map(
  [...document.matchAll(/^```\w+ (.+)\n([\s\S]*?)^```$/gm)].map(([, title = '', content = '']) => [title, content]),
)

const rules = addressRules({ allowHttp: true, allowNetworks: ['127.0.0.1'], localServerMode: false })
const client = new GuardedClient(rules)
let folder: string
const ending: (() => unknown)[] = []
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-documented-'))
  for (const [title, content] of blocks) if (/^[\w-]+\.\w+$/.test(title)) writeFileSync(join(folder, title), content)
})
afterAll(async () => {
  for (const end of ending) end()
  await client.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Signed {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** As it goes out now. */
function signed({ at = Date.now(), secret = SECRET, previousSecret }: Signing = {}): Signed {
  const keys = signingKeys({ signingKey: undefined, secret, previousSecret })
  return { headers: deliveryHeaders(keys, { id: 'e1', body, unixSeconds: Math.floor(at / 1000) }), body }
}

interface Signing {
  readonly at?: number
  readonly secret?: string
  readonly previousSecret?: string
}

const minutes = (count: number) => Date.now() + count * 60_000
const forged: [string, () => Signed][] = [
  ['another body', () => ({ ...signed(), body: body.replace('Zürich', 'Berlin') })],
  ['another key', () => signed({ secret: OLD_SECRET })],
  ['a request of ten minutes ago', () => signed({ at: minutes(-10) })],
  ['a request of the future', () => signed({ at: minutes(10) })],
  ['another id', () => ({ ...signed(), headers: { ...signed().headers, 'webhook-id': 'e2' } })],
  ['no signature', () => ({ ...signed(), headers: { 'webhook-id': 'e1', 'webhook-timestamp': '1' } })],
  ['a timestamp of words', () => ({ ...signed(), headers: { ...signed().headers, 'webhook-timestamp': 'soon' } })],
  [
    'a signature of rubbish',
    () => ({ ...signed(), headers: { ...signed().headers, 'webhook-signature': 'v1,ü v1,' } }),
  ],
]

describe.each([
  ['Node', process.execPath, 'receiver.mjs'],
  ['Python', 'python3', 'receiver.py'],
])('the receiver in %s', (_, command, file) => {
  let url: string
  beforeAll(async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}/`
    const env = { PATH: process.env['PATH'], PORT: String(port), WEBHOOK_SECRET: SECRET }
    const child = spawn(command, [join(folder, file)], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    let complaints = ''
    child.stderr.on('data', (chunk) => (complaints += chunk))
    child.once('exit', () => process.stderr.write(complaints))
    ending.push(() => child.removeAllListeners('exit').kill('SIGKILL'))
    await vi.waitUntil(async () => (await status({ headers: {}, body: '{}' })) !== undefined, { timeout: 20_000 })
  })

  async function status({ headers, body }: Signed): Promise<number | undefined> {
    const outcome = await client.post(url, headers, body)
    return outcome.kind === 'replied' ? outcome.reply.status : undefined
  }

  test('takes what is signed, also while a secret is being replaced', async () => {
    expect(await status(signed())).toBe(204)
    expect(await status(signed({ secret: OLD_SECRET, previousSecret: SECRET }))).toBe(204)
    expect(await status(signed({ previousSecret: OLD_SECRET }))).toBe(204)
  })

  test.each(forged)('refuses %s', async (__, make) => {
    expect(await status(make())).toBe(401)
  })
})

describe('the shell script', () => {
  function isTaken({ headers, body }: Signed, key = SECRET): boolean {
    const args = [join(folder, 'verify.sh'), key, headers['x-timestamp'] ?? '', headers['x-signature'] ?? '']
    try {
      execFileSync('sh', args, { input: body, stdio: ['pipe', 'ignore', 'ignore'] })
      return true
    } catch {
      return false
    }
  }

  test('takes what is signed, with the old secret while it is being replaced', () => {
    expect(isTaken(signed())).toBe(true)
    expect(isTaken(signed({ secret: OLD_SECRET, previousSecret: SECRET }))).toBe(true)
  })

  test.each(forged.filter(([title]) => !/id|words|rubbish/.test(title)))('refuses %s', (_, make) => {
    expect(isTaken(make())).toBe(false)
  })
})

test('every payload that is shown is a golden one, and every golden one is shown', () => {
  const golden = JSON.parse(readFileSync(join(import.meta.dirname, 'golden-payloads.json'), 'utf8'))
  const shown = [...blocks].filter(([title]) => title in golden).map(([title, content]) => [title, JSON.parse(content)])
  expect(Object.fromEntries(shown)).toEqual(golden)
})

test('the envelope is what goes out, around any of them', () => {
  const envelope = JSON.parse(blocks.get('the envelope') ?? '')
  const payload = JSON.parse(blocks.get('a text comes in on the second SIM') ?? '')
  expect(webhookEnvelope.parse({ ...envelope, payload })).toEqual({ ...envelope, payload })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
