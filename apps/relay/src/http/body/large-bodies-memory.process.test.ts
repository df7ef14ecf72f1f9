import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { freePort } from '@smsgw/daemon/testing/free-port'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callUrl } from '../../testing/call-url.ts'
import { startRelayProcess, type TestRelayProcess } from '../../testing/relay-process.ts'
import { useTestDatabase } from '../../testing/test-database.ts'

const BASIC = `Basic ${btoa('sms:a password for this test')}`
const METRICS_TOKEN = 'a token of sixteen characters'
const db = useTestDatabase()
let relay: TestRelayProcess
let token: string
let inspector: WebSocket

beforeAll(async () => {
  const port = await freePort()
  relay = await startRelayProcess({
    DATABASE_URL: db.url,
    SERVER_SECRET: randomBytes(32).toString('base64'),
    ADMIN_USERNAME: 'sms',
    ADMIN_PASSWORD: 'a password for this test',
    CONSOLE_DIR: 'off',
    METRICS_TOKEN,
    NODE_OPTIONS: `--inspect=127.0.0.1:${port}`,
  })
  const { json } = await callUrl('POST', `${relay.url}/mobile/v1/device`, {
    ...{ auth: BASIC, body: { name: 'Pixel', capabilities: ['mms'] } },
  })
  token = json.token
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as [
    { readonly webSocketDebuggerUrl: string },
  ]
  inspector = new WebSocket(target.webSocketDebuggerUrl)
  await once(inspector, 'open')
})

afterAll(async () => {
  inspector?.close()
  relay?.kill('SIGTERM')
  await relay?.ended
})

/** Returns the largest amount of memory that the relay has used, in MiB. */
function mostMemory(): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${relay.pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

function currentMemory(): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${relay.pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}

/** Resets the recorded maximum of memory to the present memory. */
function resetPeak(): void {
  writeFileSync(`/proc/${relay.pid}/clear_refs`, '5')
}

/** Uploads an MMS in pieces. All requests share these pieces, so that the test itself needs little memory. */
const upload = (...pieces: readonly Buffer[]) => post('/mobile/v1/inbox', `Bearer ${token}`, pieces)

async function post(path: string, authorization: string, pieces: readonly Buffer[]): Promise<number> {
  const sent = request(`${relay.url}${path}`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization,
      'content-type': 'application/json',
      'content-length': String(pieces.reduce((sum, { length }) => sum + length, 0)),
    },
  })
  // A busy relay answers and closes the connection before the whole body has arrived, so later writes may fail. An
  // error before the response still fails the test, because `once` reports it.
  sent.on('error', () => undefined)
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

/** Returns the memory of JavaScript values and of buffers without garbage, in MiB. */
async function heldMemory(): Promise<{ readonly heap: number; readonly buffers: number }> {
  inspector.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }))
  await once(inspector, 'message')
  const response = await fetch(`${relay.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  const text = await response.text()
  const mib = (name: string) => Number(new RegExp(`^smsgw_${name} (\\d+)`, 'm').exec(text)?.[1]) / 1_048_576
  return { heap: mib('nodejs_heap_size_used_bytes'), buffers: mib('nodejs_external_memory_bytes') }
}

const PARALLEL = 20
const SENDS = 16
const MOST_MMS_BYTES = 3 * 1_048_576
const largest = Buffer.from(randomBytes(MOST_MMS_BYTES).toString('base64'))

/**
 * Returns the tokens of two phones of different accounts, because the uploads of one account may use at most half of
 * the memory limit.
 */
async function twoPhones(): Promise<readonly [string, string]> {
  const { passwordHash } = await db.database.account.findUniqueOrThrow({ where: { username: 'sms' } })
  await db.database.account.create({ data: { id: 'other', username: 'other', passwordHash } })
  const auth = `Basic ${btoa('other:a password for this test')}`
  const { json } = await callUrl('POST', `${relay.url}/mobile/v1/device`, { auth, body: { name: 'Pixel' } })
  return [token, json.token]
}

test('20 slow uploads hold the octets of their pictures once', async () => {
  await uploadPicture(0)
  const tokens = await twoPhones()
  const before = await heldMemory()
  const idle = currentMemory()
  const createdAt = new Date().toISOString()
  const uploads = await Promise.all(
    Array.from({ length: PARALLEL }, async (_, index) => {
      const facts = { id: `slow ${index}`, type: 'MMS_DOWNLOADED', sender: '+12025550123', createdAt }
      const attachment = { partId: 0, contentType: 'image/jpeg', data: '' }
      const [head = '', end = ''] = JSON.stringify([{ ...facts, attachments: [attachment] }]).split(/(?<="data":")/)
      const sent = request(`${relay.url}/mobile/v1/inbox`, {
        method: 'POST',
        agent: false,
        headers: {
          authorization: `Bearer ${tokens[index % 2]}`,
          'content-type': 'application/json',
          'content-length': head.length + picture.length + end.length,
        },
      })
      sent.write(head)
      for (let at = 0; at < picture.length; at += 16_384) {
        sent.write(picture.subarray(at, at + 16_384))
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      return async () => {
        sent.end(end)
        const [response] = (await once(sent, 'response')) as [IncomingMessage]
        response.resume()
        return response.statusCode
      }
    }),
  )
  // At this point, everything except the last bytes has been sent.
  const more = async () => {
    const { heap, buffers } = await heldMemory()
    return { heap: heap - before.heap, buffers: buffers - before.buffers }
  }
  await expect.poll(more).toSatisfy(({ buffers }) => buffers > PARALLEL * 0.9)
  const { heap, buffers } = await more()
  process.stdout.write(
    `${PARALLEL} uploads hold ${heap.toFixed(1)} MiB of values and ${buffers.toFixed(1)} MiB of buffers\n`,
  )
  expect(buffers).toBeLessThan(PARALLEL * 1.1)
  expect(heap).toBeLessThan(PARALLEL * 0.25)
  resetPeak()
  const statuses = await Promise.all(uploads.map((end) => end()))
  expect(statuses).toEqual(statuses.map(() => 201))
  const growth = mostMemory() - idle
  process.stdout.write(`when all end at once, the process has ${growth.toFixed(0)} MiB more than before them\n`)
  // The pictures take 20 MiB of this growth. If the database client encoded each picture, the growth would be 60 MiB.
  expect(growth).toBeLessThan(54)
})

test('80 pictures of 1 MiB at the same time are stored with a limited amount of memory', async () => {
  await uploadPicture(0)
  const stored = await db.database.inboxAttachment.count()
  const before = mostMemory()
  const statuses = await Promise.all(Array.from({ length: 80 }, (_, index) => uploadPicture(index + 1)))
  expect(new Set(statuses)).toEqual(new Set([201]))
  expect(await db.database.inboxAttachment.count()).toBe(stored + 80)
  expect(mostMemory() - before).toBeLessThan(180)
})

/** Sends an MMS with the largest attachment, and repeats it while the relay is busy. */
async function sendLargest(to: string): Promise<number> {
  const head = `{"phoneNumbers":["${to}"],"mmsMessage":{"attachments":[{"contentType":"image/jpeg","data":"`
  for (;;) {
    const status = await post('/3rdparty/v1/messages', BASIC, [Buffer.from(head), largest, Buffer.from('"}]}}')])
    if (status !== 503) return status
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

test('16 parallel sends of the largest MMS hold their attachments less than twice, and release them', async () => {
  await sendLargest('+12025550100')
  await heldMemory()
  const before = currentMemory()
  resetPeak()
  const statuses = await Promise.all(
    Array.from({ length: SENDS }, (_, index) => sendLargest(`+120255501${10 + index}`)),
  )
  expect(statuses).toEqual(Array(SENDS).fill(202))
  const during = mostMemory()
  await heldMemory()
  const after = currentMemory()
  const sizes = Object.entries({ before, during, after }).map(([when, size]) => `${size.toFixed(0)} MiB ${when}`)
  process.stdout.write(`memory of the process, with ${SENDS} parallel sends of 3 MiB: ${sizes.join(', ')}\n`)
  const sent = (SENDS * MOST_MMS_BYTES) / 1_048_576
  expect(during - before).toBeLessThan(2 * sent)
  expect(after - before).toBeLessThan(sent)
})

test('a body with millions of empty values is refused before it is parsed', async () => {
  const before = mostMemory()
  const values = Buffer.from('{},'.repeat(5_500_000))
  expect(await upload(Buffer.from('['), values, Buffer.from('{}]'))).toBe(413)
  expect(mostMemory() - before).toBeLessThan(150)
})
