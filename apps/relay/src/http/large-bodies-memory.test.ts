import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callUrl } from '../testing/call-url.ts'
import { type RelayProcess, startRelayProcess } from '../testing/relay-process.ts'
import { useTestDatabase } from '../testing/test-database.ts'

const BASIC = `Basic ${btoa('sms:a password for this test')}`
const db = useTestDatabase()
let relay: RelayProcess
let token: string

beforeAll(async () => {
  relay = await startRelayProcess({
    DATABASE_URL: db.url,
    SERVER_SECRET: randomBytes(32).toString('base64'),
    ADMIN_USERNAME: 'sms',
    ADMIN_PASSWORD: 'a password for this test',
    CONSOLE_DIR: 'off',
  })
  const { json } = await callUrl('POST', `${relay.url}/mobile/v1/device`, { auth: BASIC, body: { name: 'Pixel' } })
  token = json.token
}, 60_000)

afterAll(async () => {
  relay?.kill('SIGTERM')
  await relay?.ended
})

/** The most memory that the relay has used, in MiB. */
function mostMemory(): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${relay.pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

/** Uploads pieces that the test shares between requests, so that it needs little memory itself. */
async function upload(...pieces: readonly Buffer[]): Promise<number> {
  const sent = request(`${relay.url}/mobile/v1/inbox`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': String(pieces.reduce((sum, { length }) => sum + length, 0)),
    },
  })
  for (const piece of pieces) sent.write(piece)
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response.statusCode ?? 0
}

const picture = Buffer.from(randomBytes(1_048_576).toString('base64'))

/** Uploads an MMS with one picture, and repeats it while the relay is busy, as a phone does. */
async function uploadPicture(id: number): Promise<number> {
  const facts = `"id":"${id}","type":"MMS_DOWNLOADED","sender":"+12025550123","createdAt":"${new Date().toISOString()}"`
  const before = Buffer.from(`[{${facts},"attachments":[{"partId":0,"contentType":"image/jpeg","data":"`)
  for (;;) {
    const status = await upload(before, picture, Buffer.from('"}]}]'))
    if (status !== 503) return status
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

test('80 pictures of 1 MiB at the same time are stored with a bounded amount of memory', {
  timeout: 120_000,
}, async () => {
  await uploadPicture(0)
  const before = mostMemory()
  const statuses = await Promise.all(Array.from({ length: 80 }, (_, index) => uploadPicture(index + 1)))
  expect(new Set(statuses)).toEqual(new Set([201]))
  expect(await db.database.inboxAttachment.count()).toBe(81)
  expect(mostMemory() - before).toBeLessThan(180)
})

test('a body with millions of empty values is refused before it is parsed', { timeout: 60_000 }, async () => {
  const before = mostMemory()
  const values = Buffer.from('{},'.repeat(5_500_000))
  expect(await upload(Buffer.from('['), values, Buffer.from('{}]'))).toBe(413)
  expect(mostMemory() - before).toBeLessThan(150)
})
