// MMS in Twilio's interface: their media, and webhooks about received MMS.
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { receivedEventOf, withAttachments } from '../../inbox/stored-item.ts'
import { testPhone } from '../../mobile/testing/test-phone.ts'
import { enqueueEvents } from '../../webhooks/outbox/enqueue-events.ts'
import { answerWith, testReceivers } from '../../webhooks/testing/test-receiver.ts'
import { accountSid, messageSid } from './sid.ts'
import { basic, codeOf, FROM, ONE, TO, TwilioRelay } from './testing/twilio-relay.ts'

const PUBLIC_URL = 'https://sms.example.org'
let twilio: TwilioRelay
const receivers = testReceivers()
beforeAll(async () => {
  twilio = await TwilioRelay.start({ WEBHOOK_ALLOW_HTTP: '1', WEBHOOK_ALLOW_CIDRS: '127.0.0.1', PUBLIC_URL })
})
afterEach(() => receivers.close())
afterAll(() => twilio.relay.close())

const pictures = [randomBytes(400_000), randomBytes(7)] as const
const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 90_000, interval: 20 })
let received = 0

/** Stores a downloaded MMS with two pictures, and its event. */
async function receiveMms(text = 'From the beach'): Promise<string> {
  received += 1
  const id = `mms-${received}`.padEnd(27, '_')
  const accountId = twilio.account.id
  const facts = { deviceId: ONE, sender: TO, recipient: FROM, simNumber: 1, createdAt: new Date() }
  const { key } = await twilio.database.inboxItem.create({
    data: { accountId, id, type: 'MMS_DOWNLOADED', ...facts, text, mms: { subject: 'Holiday' } },
  })
  for (const [position, octets] of pictures.entries()) {
    const data = { inboxKey: key, partId: BigInt(position + 40), position, name: 'a.jpg', contentType: 'image/jpeg' }
    await twilio.database.inboxAttachment.create({
      data: { ...data, size: octets.length, octets: Buffer.from(octets) },
    })
  }
  const item = await twilio.database.inboxItem.findUniqueOrThrow({ where: { key }, include: withAttachments })
  await twilio.database.$transaction((statements) => enqueueEvents(statements, accountId, [receivedEventOf(item)]))
  return messageSid(id)
}

/** Sends an MMS with our own API. Twilio's interface shows one message for each recipient. */
async function sendMms(): Promise<string> {
  await testPhone(twilio.relay, twilio.account, { capabilities: ['mms'] })
  const attachments = pictures.map((octets) => ({ contentType: 'image/png', data: octets.toString('base64') }))
  const body = { phoneNumbers: [TO], mmsMessage: { text: 'Look', attachments } }
  const { status, json } = await twilio.relay.api('POST', '/messages', { auth: twilio.account.basic, body })
  expect(status).toBe(202)
  const { cmdId } = await twilio.database.recipient.findFirstOrThrow({ where: { message: { id: json.id } } })
  return messageSid(cmdId)
}

async function replies() {
  const found = await twilio.database.message.findMany({ where: { accountId: twilio.account.id } })
  return found.map(({ text }) => text)
}

async function download(path: string, auth: string) {
  const response = await fetch(new URL(`/2010-04-01${path}`, twilio.relay.url), { headers: { authorization: auth } })
  return { response, octets: Buffer.from(await response.arrayBuffer()) }
}

test.each([
  ['sent', sendMms, 'Look', 'image/png'],
  ['received', receiveMms, 'From the beach', 'image/jpeg'],
] as const)(
  'a %s MMS shows its media, which are downloaded without a redirect',
  async (_, create, body, contentType) => {
    const account = await twilio.newAccount()
    const sid = await create()
    const message = `${twilio.messages}/${sid}`
    const { json } = await twilio.call('GET', `${message}.json`)
    expect(json).toMatchObject({ sid, num_media: '2', body })
    expect((await twilio.call('GET', `${twilio.messages}.json`)).json.messages).toEqual([json])
    const { json: list } = await twilio.call('GET', `${message}/Media.json`)
    expect(list.media_list).toHaveLength(2)
    for (const [index, media] of list.media_list.entries()) {
      expect(media).toEqual({
        account_sid: accountSid(account.id),
        content_type: contentType,
        date_created: json.date_created,
        date_updated: json.date_created,
        parent_sid: sid,
        sid: expect.stringMatching(/^ME[0-9a-f]{32}$/),
        uri: `/2010-04-01${message}/Media/${media.sid}.json`,
      })
      expect((await twilio.call('GET', `${message}/Media/${media.sid}.json`)).json).toEqual(media)
      const { response, octets } = await download(`${message}/Media/${media.sid}`, account.basic)
      expect([response.status, response.redirected, response.headers.get('content-type')]).toEqual([
        200,
        false,
        contentType,
      ])
      expect(octets.equals(pictures[index] ?? Buffer.alloc(0))).toBe(true)
    }
  },
)

test('media need the scopes of our own API, and belong to their account and message', async () => {
  const owner = await twilio.newAccount()
  const [sent, received] = [await sendMms(), await receiveMms()]
  const messages = twilio.messages
  const media = async (message: string) =>
    (await twilio.call('GET', `${messages}/${message}/Media.json`)).json.media_list[0].sid as string
  const [ofSent, ofReceived] = [await media(sent), await media(received)]
  const statuses = async (scopes: string[]) => {
    const { key } = await twilio.newKey({ scopes })
    const auth = basic('any', key)
    const paths = [sent, `${sent}/Media/${ofSent}`, received, `${received}/Media/${ofReceived}`]
    const all = paths.map((path) => (path.includes('Media') ? `${path}` : `${path}/Media.json`))
    return await Promise.all(all.map(async (path) => (await download(`${messages}/${path}`, auth)).response.status))
  }
  expect(await statuses(['messages:read'])).toEqual([200, 200, 404, 404])
  expect(await statuses(['inbox:list'])).toEqual([404, 404, 200, 404])
  expect(await statuses(['inbox:read'])).toEqual([403, 404, 403, 200])
  expect(await statuses(['messages:cancel', 'inbox:list'])).toEqual([404, 404, 200, 404])
  expect(await statuses(['messages:send'])).toEqual([403, 403, 403, 403])

  for (const path of [`${sent}/Media/${ofReceived}`, `${sent}/Media/ME${'0'.repeat(32)}`, `${received}/Media/nonsense`])
    for (const end of ['', '.json'])
      expect(await codeOf(twilio.call('GET', `${messages}/${path}${end}`))).toEqual([404, 20404])
  const stranger = await twilio.newAccount()
  expect(await codeOf(twilio.call('GET', `${messages}/${sent}/Media/${ofSent}`))).toEqual([404, 20404])
  const own = `${twilio.messages}/${sent}/Media/${ofSent}`
  expect(await codeOf(twilio.call('GET', own))).toEqual([404, 20404])
  expect(stranger.id).not.toBe(owner.id)
})

test('removing the text of a received MMS removes its media and subject', async () => {
  await twilio.newAccount()
  const sid = await receiveMms()
  const { json } = await twilio.call('POST', `${twilio.messages}/${sid}.json`, { Body: '' })
  expect(json).toMatchObject({ body: '', num_media: '0' })
  const where = { accountId: twilio.account.id }
  const item = await twilio.database.inboxItem.findFirstOrThrow({ where, include: withAttachments })
  expect(item).toMatchObject({ text: '', mms: null, attachments: [] })
})

test('a webhook about a received MMS names its media, and its receiver may reply', async () => {
  const account = await twilio.newAccount()
  const receiver = await receivers.start(answerWith(200, { 'content-type': 'text/plain' }, 'Nice'))
  const body = { id: 'app', url: receiver.url, events: ['mms:downloaded'], format: 'twilio' }
  expect((await twilio.relay.api('POST', '/webhooks', { auth: account.basic, body })).status).toBe(201)
  const sid = await receiveMms('ü')
  await eventually(() => expect(receiver.requests).toHaveLength(1))
  const form = Object.fromEntries(new URLSearchParams(receiver.requests[0]?.body))
  const { json } = await twilio.call('GET', `${twilio.messages}/${sid}/Media.json`)
  const urls = json.media_list.map(({ uri }: { uri: string }) => PUBLIC_URL + uri.replace('.json', ''))
  expect(form).toMatchObject({ MessageSid: sid, SmsStatus: 'received', From: TO, To: FROM, Body: 'ü', NumMedia: '2' })
  expect([form['MediaUrl0'], form['MediaUrl1']]).toEqual(urls)
  expect([form['MediaContentType0'], form['MediaContentType1'], form['MediaUrl2']]).toEqual([
    'image/jpeg',
    'image/jpeg',
    undefined,
  ])
  const { octets } = await download(new URL(urls[1]).pathname.replace('/2010-04-01', ''), account.basic)
  expect(octets.equals(pictures[1])).toBe(true)
  await eventually(async () => expect(await replies()).toEqual(['Nice']))
  await eventually(async () => {
    const { json } = await twilio.relay.api('GET', '/webhooks/app/deliveries', { auth: account.basic })
    expect(json).toMatchObject([{ state: 'delivered' }])
    const shown = await twilio.relay.api('GET', `/webhooks/deliveries/${json[0].id}`, { auth: account.basic })
    expect(shown.json.request.body).toBe(receiver.requests[0]?.body)
  })
})

test('a key that may not send cannot register a receiver that replies to MMS', async () => {
  await twilio.newAccount()
  const { key } = await twilio.newKey({ scopes: ['webhooks:write'] })
  const body = { id: 'k', url: 'https://example.com/', event: 'mms:downloaded', format: 'twilio' }
  expect((await twilio.relay.api('POST', '/webhooks', { auth: `Bearer ${key}`, body })).status).toBe(403)
})
