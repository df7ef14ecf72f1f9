import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type TestRelay, testRelay } from '../../testing/test-relay.ts'
import { type TestPhone, testPhone } from '../testing/test-phone.ts'
import { PhoneStreams } from './phone-streams.ts'

let relay: TestRelay
let phone: TestPhone
beforeAll(async () => {
  relay = await testRelay()
})
afterAll(() => relay.close())
beforeEach(async () => {
  await relay.database.message.deleteMany()
  await relay.database.device.deleteMany()
  phone = await testPhone(relay)
})

/** Opens the stream of notices of the phone. `text` is the text that the stream has sent so far. */
async function notices(of = phone) {
  const abort = new AbortController()
  onTestFinished(() => abort.abort())
  const response = await fetch(`${relay.url}/mobile/v1/events`, {
    headers: { authorization: `Bearer ${of.token}` },
    signal: abort.signal,
  })
  const stream = { status: response.status, type: response.headers.get('content-type'), text: '', isOver: false }
  const reading = async () => {
    for await (const chunk of response.body ?? []) stream.text += Buffer.from(chunk).toString()
  }
  reading()
    .catch(() => undefined)
    .finally(() => {
      stream.isOver = true
    })
  await expect.poll(() => stream.text).toContain(':keepalive')
  return stream
}

async function send(body: object = {}): Promise<string> {
  const { json } = await relay.api('POST', '/messages', {
    body: { phoneNumbers: ['+12025550123'], textMessage: { text: 'hello' }, ...body },
  })
  return json.id
}
const ENQUEUED = 'event: MessageEnqueued\ndata: null\n\n'

test('a new message is announced at once, and a waiting message when the phone connects', async () => {
  await send()
  const stream = await notices()
  expect([stream.status, stream.type]).toEqual([200, 'text/event-stream; charset=utf-8'])
  await expect.poll(() => stream.text.split(ENQUEUED).length - 1).toBe(1)
  await phone.pull()
  await send()
  await expect.poll(() => stream.text.split(ENQUEUED).length - 1).toBe(2)
})

test('a scheduled message is announced when it is due', async () => {
  const stream = await notices()
  await send({ scheduleAt: new Date(Date.now() + 3_600_000).toISOString() })
  await relay.database.recipient.updateMany({ data: { dueAt: new Date(), notBefore: null } })
  await expect.poll(() => stream.text).toContain(ENQUEUED)
})

test('a cancel is announced once with the id of the message', async () => {
  const id = await send()
  await phone.pull()
  const stream = await notices()
  await relay.api('DELETE', `/messages/${id}`)
  const notice = `event: MessageCancelled\ndata: {"messageId":"${id}"}\n\n`
  await expect.poll(() => stream.text).toContain(notice)
  await send()
  await expect.poll(() => stream.text).toContain(ENQUEUED)
  expect(stream.text.split(notice)).toHaveLength(2)
})

test('changed settings are announced to the phones of the account', async () => {
  const stranger = await testPhone(relay, await relay.addAccount())
  const [stream, other] = [await notices(), await notices(stranger)]
  await relay.api('PATCH', '/settings', { body: { messages: { send_interval_min: 2, send_interval_max: 3 } } })
  await expect.poll(() => stream.text).toContain('event: SettingsUpdated\ndata: null\n\n')
  expect(other.text).not.toContain('SettingsUpdated')
})

test('an inbox refresh makes the phone upload the messages of the range, even if the phone connects later', async () => {
  const range = { since: '2026-03-01T00:00:00.000Z', until: '2026-03-02T00:00:00.000Z' }
  await relay.api('POST', '/inbox/refresh', { body: range })
  const data = JSON.stringify({ ...range, webhookDelivery: 'Disabled', triggerWebhooks: 'false' })
  const stream = await notices()
  await expect.poll(() => stream.text).toContain(`event: MessagesExportRequested\ndata: ${data}\n\n`)
})

/** Opens a stream of the phone on a relay that receives no hints. `begin` starts the stream and returns its text. */
async function streamWithoutHints() {
  const { id: accountId } = relay.account
  const { connEpoch, journalId } = await relay.database.device.findUniqueOrThrow({ where: { id: phone.id } })
  const log = { warn: () => undefined }
  const streams = new PhoneStreams({
    ...{ database: relay.database, clock: { now: () => new Date() }, log, logbook: { write: () => undefined } },
    hints: { listen: () => () => undefined },
  })
  onTestFinished(() => streams.close())
  const connection = { deviceId: phone.id, accountId, connEpoch: Number(connEpoch), journalId: journalId ?? '' }
  const stream = streams.open(connection)
  const over = Promise.withResolvers<void>()
  const written = { text: '', over: over.promise }
  const begin = () => {
    stream.begin({
      unreadBytes: 0,
      write: (text) => {
        written.text += text
      },
      end: () => over.resolve(),
      onClose: () => undefined,
    })
    return written
  }
  return { begin }
}

test('an inbox refresh waits until the phone can read its notices', async () => {
  const stream = await streamWithoutHints()
  const range = { since: '2026-03-01T00:00:00.000Z', until: '2026-03-02T00:00:00.000Z' }
  await relay.api('POST', '/inbox/refresh', { body: range })
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(await relay.database.deviceCommand.findMany()).toMatchObject([{ answeredAt: null }])
  const written = stream.begin()
  await expect.poll(() => written.text).toContain('event: MessagesExportRequested')
})

test('the phone is online while it is connected', async () => {
  await relay.database.device.updateMany({ data: { leaseUntil: null } })
  await notices()
  expect((await relay.api('GET', '/devices')).json).toMatchObject([{ id: phone.id, online: true }])
})

test('deleting the device, or opening a second stream, ends the stream', async () => {
  const first = await notices()
  const second = await notices()
  await expect.poll(() => first.isOver).toBe(true)
  expect(second.isOver).toBe(false)
  await relay.api('DELETE', `/devices/${phone.id}`)
  await expect.poll(() => second.isOver).toBe(true)
})

test.each(['device', 'account'])(
  'deleting the %s ends the stream within a second even if the hint is lost',
  async (what) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const written = (await streamWithoutHints()).begin()
    if (what === 'device')
      await relay.database.device.update({ where: { id: phone.id }, data: { deletedAt: new Date() } })
    else await relay.database.device.delete({ where: { id: phone.id } })
    vi.advanceTimersByTime(1_000)
    // Does not use `expect.poll`, because it would advance the timers further.
    await written.over
  },
)

test('two phones with one token are reported in the log, and a phone that reconnects is not', async () => {
  const entries = async () =>
    ((await relay.api('GET', '/logs')).json as { message: string; deviceId?: string }[]).filter(({ message }) =>
      message.startsWith('two phones seem to use the token'),
    )
  for (let count = 0; count < 20; count += 1) await notices()
  expect(await entries()).toEqual([])
  for (let count = 0; count < 3; count += 1) await notices()
  await expect.poll(entries).toHaveLength(1)
})
