// Tests Twilio's own helper library, unchanged, with a gateway and a virtual modem.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import twilio from 'twilio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { Emulator } from './house/emulator.ts'
import { credentialsIn, Gateway, preparedFolder } from './house/gateway.ts'
import { Phone, PhoneDisk } from './house/peers/phone.ts'

const FROM = '+447700900001'

/** Sends the requests of the library to the gateway. */
class GatewayClient extends twilio.RequestClient {
  readonly #url: string

  constructor(url: string) {
    super()
    this.#url = url
  }

  override request<TData>(options: Parameters<twilio.RequestClient['request']>[0]) {
    return super.request<TData>({ ...options, uri: options.uri.replace('https://api.twilio.com', this.#url) } as never)
  }
}

let emulator: Emulator
let gateway: Gateway
let client: twilio.Twilio
let accountSid: string
let apiKey: string

beforeAll(async () => {
  const folder = preparedFolder()
  emulator = await Emulator.start(folder, [{ number: FROM }])
  gateway = await Gateway.start({ MODEMS: emulator.pty() }, { folder })
  await gateway.untilReady()
  const scopes = ['messages:send', 'messages:read', 'messages:list', 'messages:cancel', 'inbox:list', 'inbox:read']
  const { key } = (await gateway.api.ask('POST', '/keys', { name: 'twilio', scopes })).json
  apiKey = key
  accountSid = await sidOfAccount(key)
  client = twilio(accountSid, key, { httpClient: new GatewayClient(gateway.url) })
})

async function sidOfAccount(key: string): Promise<string> {
  const authorization = `Basic ${Buffer.from(`any:${key}`).toString('base64')}`
  const response = await fetch(`${gateway.url}/2010-04-01/Accounts.json`, { headers: { authorization } })
  const { accounts } = (await response.json()) as { accounts: { sid: string }[] }
  return accounts[0]?.sid ?? ''
}

afterAll(async () => {
  await gateway?.process.stop()
  await emulator?.process.stop()
  await gateway?.stop()
})

test('finds the account', async () => {
  expect(await client.api.v2010.accounts(accountSid).fetch()).toMatchObject({ sid: accountSid, status: 'active' })
})

test('sends a message and follows it until it is delivered', async () => {
  const created = await client.messages.create({ to: '+447400100001', from: FROM, body: 'Secure OTP: 123456 🔐' })
  expect(created).toMatchObject({
    accountSid,
    direction: 'outbound-api',
    to: '+447400100001',
    from: FROM,
    numSegments: '1',
  })
  const delivered = await eventually(
    () => client.messages(created.sid).fetch(),
    ({ status }) => status === 'delivered',
  )
  expect(delivered).toMatchObject({ errorCode: null, from: FROM, body: 'Secure OTP: 123456 🔐' })
  expect(delivered.dateSent).toBeInstanceOf(Date)
  expect(Math.abs(Date.now() - delivered.dateCreated.getTime())).toBeLessThan(600_000)
  expect(emulator.ledger().map(({ text }) => text)).toEqual(['Secure OTP: 123456 🔐'])
})

test('lists all messages over several pages, with filters', async () => {
  const messagingServiceSid = accountSid.replace('AC', 'MG')
  for (let number = 0; number < 5; number += 1)
    await client.messages.create({ to: `+44740010010${number}`, messagingServiceSid, body: `Message ${number}` })
  const listed = await client.messages.list({ pageSize: 2 })
  expect(listed.map(({ body }) => body)).toEqual(
    [4, 3, 2, 1, 0].map((n) => `Message ${n}`).concat('Secure OTP: 123456 🔐'),
  )
  const seen: string[] = []
  await new Promise<void>((resolve, reject) =>
    client.messages.each({ pageSize: 4, done: (error?: Error) => (error ? reject(error) : resolve()) }, ({ sid }) =>
      seen.push(sid),
    ),
  )
  expect(seen).toEqual(listed.map(({ sid }) => sid))
  expect(await client.messages.list({ to: '+447400100103' })).toHaveLength(1)
  expect(await client.messages.list({ dateSentAfter: new Date(Date.now() + 60_000) })).toEqual([])
  expect(await client.messages.list({ dateSentAfter: new Date(Date.now() - 600_000), limit: 3 })).toHaveLength(3)
})

test('cancels a scheduled message, redacts a sent message, and deletes both', async () => {
  const sendAt = new Date(Date.now() + 3_600_000)
  const scheduled = await client.messages.create({
    to: '+447400100001',
    messagingServiceSid: accountSid.replace('AC', 'MG'),
    body: 'Later',
    scheduleType: 'fixed',
    sendAt,
  })
  expect(scheduled.status).toBe('scheduled')
  expect((await client.messages(scheduled.sid).update({ status: 'canceled' })).status).toBe('canceled')
  expect(await client.messages(scheduled.sid).remove()).toBe(true)
  const [sent] = await client.messages.list({ to: '+447400100001' })
  const message = client.messages(sent?.sid ?? '')
  expect((await message.update({ body: '' })).body).toBe('')
  expect(await message.remove()).toBe(true)
  await expect(message.fetch()).rejects.toMatchObject({ status: 404, code: 20404 })
})

test('shows a received message', async () => {
  await emulator.instruct('send-text', { from: '+447400100200', to: 'modem0', text: 'Is it ready?' })
  const [received] = await eventually(
    () => client.messages.list({ from: '+447400100200' }),
    (found) => found.length === 1,
  )
  expect(received).toMatchObject({ direction: 'inbound', status: 'received', to: FROM, body: 'Is it ready?' })
})

test('lists and downloads the media of a received MMS', async () => {
  const user = { username: 'sms', password: credentialsIn(gateway.folder).password }
  const { id, token } = await Phone.register(gateway.url, user, 'Pixel')
  const phone = new Phone({ url: gateway.url, token, disk: new PhoneDisk() })
  const picture = randomBytes(300_000)
  const attachment = { partId: 2, contentType: 'image/png', name: 'a.png', data: picture.toString('base64') }
  const facts = { id: '7', type: 'MMS_DOWNLOADED', sender: '+447400100400', content: 'Look', isEncrypted: false }
  try {
    expect(await phone.upload([{ ...facts, createdAt: new Date().toISOString(), attachments: [attachment] }])).toBe(201)
    const [received] = await client.messages.list({ from: '+447400100400' })
    expect(received).toMatchObject({ direction: 'inbound', numMedia: '1', body: 'Look' })
    const [media] = await client.messages(received?.sid ?? '').media.list()
    expect(media).toMatchObject({ parentSid: received?.sid, contentType: 'image/png' })
    const message = client.messages(received?.sid ?? '')
    const { uri } = await message.media(media?.sid ?? '').fetch()
    const authorization = `Basic ${Buffer.from(`any:${apiKey}`).toString('base64')}`
    const response = await fetch(gateway.url + uri.replace(/\.json$/, ''), { headers: { authorization } })
    expect(picture.equals(Buffer.from(await response.arrayBuffer()))).toBe(true)
  } finally {
    phone.kill()
    // With a real device in the account, the gateway sends nothing through the virtual modem.
    expect((await gateway.api.ask('DELETE', `/devices/${id}`)).status).toBe(204)
  }
})

test('signs its requests for the library, reports states to StatusCallback, and follows TwiML', async () => {
  const token = 'auth token of the application'
  await gateway.api.ask('PATCH', '/settings', { webhooks: { signing_key: token } })
  const received: Record<string, string>[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const form = Object.fromEntries(new URLSearchParams(body))
      const url = `http://${request.headers.host}${request.url}`
      const isSigned = twilio.validateRequest(token, String(request.headers['x-twilio-signature']), url, form)
      received.push({ ...form, path: request.url ?? '', isSigned: String(isSigned) })
      const answer = new twilio.twiml.MessagingResponse()
      if (request.url === '/sms') answer.message('Tables & chairs are <ready> 🙂')
      response.writeHead(200, { 'content-type': 'text/xml' }).end(answer.toString())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    await gateway.api.ask('POST', '/webhooks', { url: `${origin}/sms`, event: 'sms:received', format: 'twilio' })
    await emulator.instruct('send-text', { from: '+447400100300', to: 'modem0', text: 'Are they ready?' })
    const [reply] = await eventually(
      () => client.messages.list({ to: '+447400100300' }),
      ([found]) => found?.status === 'delivered',
    )
    expect(reply).toMatchObject({ direction: 'outbound-reply', body: 'Tables & chairs are <ready> 🙂', from: FROM })
    expect(received).toMatchObject([{ path: '/sms', isSigned: 'true', Body: 'Are they ready?', SmsStatus: 'received' }])
    const statusCallback = `${origin}/status?order=a%20b&n=1`
    const { sid } = await client.messages.create({ to: '+447400100301', from: FROM, body: 'Hello', statusCallback })
    const states = await eventually(
      async () => received.filter(({ path }) => path?.startsWith('/status')),
      ({ length }) => length === 2,
    )
    expect(states.map(({ MessageSid, isSigned, path }) => [MessageSid, isSigned, path])).toEqual(
      ['sent', 'delivered'].map(() => [sid, 'true', '/status?order=a%20b&n=1']),
    )
    expect(states.map(({ MessageStatus }) => MessageStatus)).toEqual(['sent', 'delivered'])
  } finally {
    server.close()
  }
})

test('reports errors as the library expects them', async () => {
  const send = (more: object) => client.messages.create({ to: '+447400100001', from: FROM, body: 'x', ...more })
  await expect(send({ to: 'nobody' })).rejects.toMatchObject({
    status: 400,
    code: 21211,
    moreInfo: 'https://www.twilio.com/docs/errors/21211',
  })
  await expect(send({ from: '+15005550006' })).rejects.toMatchObject({ code: 21606 })
  await expect(send({ mediaUrl: ['https://example.com/a.png'] })).rejects.toMatchObject({ code: 21622 })
  const stranger = twilio(accountSid, 'wrong', { httpClient: new GatewayClient(gateway.url) })
  await expect(stranger.messages.list()).rejects.toMatchObject({ status: 401, code: 20003 })
})
