// The message resources of Twilio's API, over HTTP and with a real database.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountServiceSid, accountSid, deviceServiceSid, idOfSid } from './sid.ts'
import { basic, codeOf, type Form, FROM, ONE, OTHER, OTHER_FROM, TO, TwilioRelay } from './testing/twilio-relay.ts'

let twilio: TwilioRelay

beforeAll(async () => {
  twilio = await TwilioRelay.start()
})
afterAll(() => twilio.relay.close())

const withoutEmpty = (form: Form) => Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''))

test('a created message is answered as Twilio answers it, and is queued on the SIM with the number in From', async () => {
  await twilio.newAccount()
  const { status, json, headers } = await twilio.create({ Body: 'Grüße 🙂' })
  expect(status).toBe(201)
  expect(headers.get('content-type')).toContain('application/json')
  const uri = `/2010-04-01${twilio.messages}/${json.sid}`
  expect(json).toEqual({
    account_sid: accountSid(twilio.account.id),
    api_version: '2010-04-01',
    body: 'Grüße 🙂',
    date_created: expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000$/),
    date_sent: null,
    date_updated: json.date_created,
    direction: 'outbound-api',
    error_code: null,
    error_message: null,
    from: FROM,
    messaging_service_sid: null,
    num_media: '0',
    num_segments: '1',
    price: null,
    price_unit: null,
    sid: expect.stringMatching(/^SM[0-9a-f]{32}$/),
    status: 'queued',
    subresource_uris: { media: `${uri}/Media.json` },
    to: TO,
    uri: `${uri}.json`,
  })
  const [stored] = await twilio.database.message.findMany({ where: { accountId: twilio.account.id } })
  expect(stored).toMatchObject({ deviceId: ONE, simNumber: 1, text: 'Grüße 🙂', sentBy: 'password' })
  expect((await twilio.call('GET', `${twilio.messages}/${json.sid}.json`)).json).toEqual(json)
  const media = await twilio.call('GET', `${twilio.messages}/${json.sid}/Media.json`)
  expect([media.status, media.json.media_list]).toEqual([200, []])
})

test('a message is sent to a short code', async () => {
  await twilio.newAccount()
  const { status, json } = await twilio.create({ To: '72727' })
  expect([status, json.to]).toEqual([201, '72727'])
})

test('a messaging service represents the account or one device', async () => {
  await twilio.newAccount()
  for (const [service, deviceId] of [
    [deviceServiceSid(OTHER), OTHER],
    [deviceServiceSid(ONE), ONE],
  ] as const) {
    const { status, json } = await twilio.call('POST', `${twilio.messages}.json`, {
      To: TO,
      Body: 'x',
      MessagingServiceSid: service,
    })
    expect(status).toBe(201)
    const recipient = await twilio.database.recipient.findUniqueOrThrow({
      where: { cmdId: idOfSid(json.sid, 'SM') ?? '' },
    })
    expect(recipient.deviceId).toBe(deviceId)
  }
  const any = { To: TO, Body: 'x', MessagingServiceSid: accountServiceSid(twilio.account.id) }
  expect((await twilio.call('POST', `${twilio.messages}.json`, any)).status).toBe(201)
  expect(await codeOf(twilio.create({ MessagingServiceSid: deviceServiceSid(OTHER) }))).toEqual([400, 21606])
  expect(await codeOf(twilio.create({ MessagingServiceSid: `MG${'0'.repeat(32)}` }))).toEqual([404, 21701])
  expect((await twilio.create({ MessagingServiceSid: deviceServiceSid(ONE) })).status).toBe(201)
})

test('a refused message is answered with the code of Twilio and is not stored', async () => {
  await twilio.newAccount()
  const refused: [Form, number, number][] = [
    [{ To: '' }, 400, 21604],
    [{ Body: '' }, 400, 21602],
    [{ From: '' }, 400, 21603],
    [{ To: 'hello' }, 400, 21211],
    [{ To: '+4412' }, 400, 21211],
    [{ From: '+447400000009' }, 400, 21606],
    [{ From: 'MyShop' }, 400, 21606],
    [{ Body: 'x'.repeat(1601) }, 400, 21617],
    [{ Body: 'ü€'.repeat(800) }, 400, 21617],
    [{ MediaUrl: 'https://example.com/a.png' }, 400, 21622],
    [{ SendAsMms: 'true' }, 400, 21622],
    [{ ContentSid: 'HX1' }, 400, 20001],
    [{ ValidityPeriod: '0' }, 400, 20001],
    [{ ValidityPeriod: 'soon' }, 400, 20001],
    [{ ScheduleType: 'fixed' }, 400, 35114],
    [{ ScheduleType: 'fixed', SendAt: '2020-01-01T00:00:00Z' }, 400, 35114],
    [{ SendAt: '2100-01-01T00:00:00Z' }, 400, 20001],
    [{ ScheduleType: 'sometimes', SendAt: '2100-01-01T00:00:00Z' }, 400, 20001],
    [{ ScheduleType: 'fixed', SendAt: 'tomorrow' }, 400, 35114],
  ]
  for (const [form, status, code] of refused) {
    const body = withoutEmpty({ To: TO, From: FROM, Body: 'Hello', ...form })
    const { json, ...answer } = await twilio.call('POST', `${twilio.messages}.json`, body)
    expect([form, answer.status, json.code]).toEqual([form, status, code])
    expect(json).toEqual({
      code,
      message: expect.any(String),
      more_info: `https://www.twilio.com/docs/errors/${code}`,
      status,
    })
  }
  const severalMedia = 'MediaUrl=https%3A%2F%2Fexample.com%2Fa.png&MediaUrl='
  const several = `${new URLSearchParams({ To: TO, From: FROM, Body: 'Hello' })}&${severalMedia}`
  expect(await codeOf(twilio.post(several))).toEqual([400, 21622])
  expect(await twilio.database.message.count({ where: { accountId: twilio.account.id } })).toBe(0)
})

test('requests of wrong accounts, keys and paths are refused in the format of Twilio', async () => {
  const stranger = await twilio.newAccount()
  const sid = accountSid(stranger.id)
  const own = await twilio.newAccount()
  expect(await codeOf(twilio.call('GET', `/Accounts/${sid}.json`))).toEqual([404, 20404])
  expect(await codeOf(twilio.call('GET', `/Accounts/${sid}/Messages.json`))).toEqual([404, 20404])
  expect(await codeOf(twilio.call('POST', `/Accounts/${sid}/Messages.json`, { To: TO }))).toEqual([404, 20404])
  expect(await codeOf(twilio.call('GET', `${twilio.messages}/SM${'0'.repeat(32)}.json`))).toEqual([404, 20404])
  expect(await codeOf(twilio.call('GET', `${twilio.messages}/nonsense`))).toEqual([404, 20404])
  expect(await codeOf(twilio.create({}, { auth: null }))).toEqual([401, 20003])
  expect(await codeOf(twilio.create({}, { auth: basic(sid, 'smsgw_live_wrong') }))).toEqual([401, 20003])
  expect(await codeOf(twilio.create({}, { auth: basic(own.username, 'wrong') }))).toEqual([401, 20003])
  const { key } = await twilio.newKey({ scopes: ['messages:read'] })
  expect(await codeOf(twilio.create({}, { auth: basic(accountSid(own.id), key) }))).toEqual([403, 20003])
})

test('an API key works as auth token, and the limits of the key apply', async () => {
  await twilio.newAccount()
  const { id, key } = await twilio.newKey({
    scopes: ['messages:send'],
    limits: { recipients: ['+4930*'], recipientsPerDay: 1 },
  })
  const auth = basic(accountSid(twilio.account.id), key)
  expect(await codeOf(twilio.create({}, { auth }))).toEqual([403, 21408])
  const { status, json } = await twilio.create({ To: '+49 30 123456' }, { auth })
  expect([status, json.to]).toEqual([201, '+4930123456'])
  expect(await twilio.database.message.findMany({ where: { sentByKeyId: id } })).toHaveLength(1)
  expect(await codeOf(twilio.create({ To: '+4930123456' }, { auth }))).toEqual([429, 20429])
  const sims = await twilio.newKey({ scopes: ['messages:send'], limits: { sims: [{ deviceId: OTHER, simNumber: 1 }] } })
  expect(await codeOf(twilio.create({}, { auth: basic('SK', sims.key) }))).toEqual([403, 21606])
})

test('a repeated request with the same Idempotency-Key creates one message', async () => {
  await twilio.newAccount()
  const headers = { 'idempotency-key': 'order 17' }
  const answers = await Promise.all([twilio.create({}, { headers }), twilio.create({}, { headers })])
  expect(new Set(answers.map(({ json }) => json.sid)).size).toBe(1)
  expect(await twilio.database.message.count({ where: { accountId: twilio.account.id } })).toBe(1)
  expect((await twilio.create({ Body: 'other' }, { headers })).status).toBe(422)
})

test('shows the state, the sending SIM and the reason of a failure', async () => {
  await twilio.newAccount()
  const [sent, failed, undelivered] = [
    (await twilio.create({})).json,
    (await twilio.create({})).json,
    (await twilio.create({})).json,
  ]
  await twilio.finish(sent.sid, 'Delivered', { deliveredAt: new Date(), senderNumber: OTHER_FROM, partsCount: 3 })
  await twilio.finish(failed.sid, 'Failed', {
    error: 'refused by the network',
    errorCode: 'refused',
    failedAt: new Date(),
  })
  await twilio.finish(undelivered.sid, 'Failed', { sentAt: new Date(), error: 'no answer', errorCode: 'report_failed' })
  const shown = async (sid: string) => (await twilio.call('GET', `${twilio.messages}/${sid}.json`)).json
  expect(await shown(sent.sid)).toMatchObject({
    status: 'delivered',
    from: OTHER_FROM,
    num_segments: '3',
    date_sent: expect.any(String),
  })
  expect(await shown(failed.sid)).toMatchObject({
    status: 'failed',
    error_code: 30007,
    error_message: 'refused by the network',
  })
  expect(await shown(undelivered.sid)).toMatchObject({ status: 'undelivered', error_code: 30003 })
})

test('the account shows its SID', async () => {
  await twilio.newAccount()
  const { json } = await twilio.call('GET', '/Accounts.json')
  expect(json.accounts).toEqual([
    expect.objectContaining({
      sid: accountSid(twilio.account.id),
      friendly_name: twilio.account.username,
      status: 'active',
    }),
  ])
  expect((await twilio.call('GET', `/Accounts/${json.accounts[0].sid}.json`)).json).toEqual(json.accounts[0])
})

test('hostile requests are refused with one clear error', async () => {
  await twilio.newAccount()
  const post = (body: string, headers?: Form) => twilio.post(body, headers)
  expect((await post('{"To":"+447400123456"}', { 'content-type': 'application/json' })).status).toBe(415)
  expect((await post(`Body=${'x'.repeat(300_000)}`)).status).toBe(413)
  expect((await post(`To=${encodeURIComponent(TO)}&From=${encodeURIComponent(FROM)}&Body=a%00b`)).status).toBe(400)
  expect((await post('To=%ff%fe&Body=x&From=x')).status).toBe(400)
  expect((await post(Array.from({ length: 5000 }, (_, index) => `To=${index}`).join('&'))).status).toBe(400)
  expect((await post('__proto__=1&constructor=2&Body=x')).json.code).toBe(21604)
  for (const sid of ['%00', `SM${'f'.repeat(32)}`, `SM${'0'.repeat(500)}`, '..%2f..%2fx', "SM' OR 1=1--"])
    expect((await twilio.call('GET', `${twilio.messages}/${sid}.json`)).status).toBe(404)
})
