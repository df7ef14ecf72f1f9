import { afterAll, beforeAll, expect, test } from 'vitest'
import { idOfSid } from './sid.ts'
import { basic, codeOf, FROM, TO, TwilioRelay } from './testing/twilio-relay.ts'

let twilio: TwilioRelay

beforeAll(async () => {
  twilio = await TwilioRelay.start()
})
afterAll(() => twilio.relay.close())

test('a scheduled message with a validity period can be canceled once, and is not sent', async () => {
  await twilio.newAccount()
  const SendAt = new Date(Date.now() + 3_600_000).toISOString()
  const { json } = await twilio.create({ ScheduleType: 'fixed', SendAt })
  expect(json.status).toBe('scheduled')
  const path = `${twilio.messages}/${json.sid}.json`
  expect(await codeOf(twilio.call('POST', path, { Status: 'sent' }))).toEqual([400, 20001])
  expect((await twilio.call('POST', path, { Status: 'canceled' })).json.status).toBe('canceled')
  expect((await twilio.call('POST', path, { Status: 'canceled' })).json.status).toBe('canceled')
  const sent = (await twilio.create({ ValidityPeriod: '60' })).json
  const stored = await twilio.database.recipient.findUniqueOrThrow({ where: { cmdId: idOfSid(sent.sid, 'SM') ?? '' } })
  expect(stored.validUntil).not.toBeNull()
  await twilio.finish(sent.sid, 'Delivered')
  expect(await codeOf(twilio.call('POST', `${twilio.messages}/${sent.sid}.json`, { Status: 'canceled' }))).toEqual([
    400, 30409,
  ])
})

test('the text can be removed after the end of a message, and the message can be deleted', async () => {
  await twilio.newAccount()
  const { sid } = (await twilio.create({})).json
  const path = `${twilio.messages}/${sid}.json`
  expect(await codeOf(twilio.call('POST', path, { Body: '' }))).toEqual([400, 20009])
  expect(await codeOf(twilio.call('DELETE', path))).toEqual([400, 20009])
  expect(await codeOf(twilio.call('POST', path, { Body: 'other' }))).toEqual([400, 20001])
  await twilio.finish(sid, 'Sent')
  expect((await twilio.call('POST', path, { Body: '' })).json).toMatchObject({ body: '', status: 'sent' })
  expect((await twilio.call('DELETE', path)).status).toBe(204)
  expect(await codeOf(twilio.call('GET', path))).toEqual([404, 20404])
  expect(await twilio.database.message.count({ where: { accountId: twilio.account.id } })).toBe(0)
})

test('a key that may cancel but not read gets no text', async () => {
  await twilio.newAccount()
  const { sid } = (await twilio.create({ Body: 'secret' })).json
  const path = `${twilio.messages}/${sid}.json`
  for (const scopes of [['messages:cancel'], ['messages:cancel', 'inbox:list']]) {
    const { key } = await twilio.newKey({ scopes })
    expect((await twilio.call('POST', path, {}, { auth: basic('any', key) })).json).toMatchObject({ sid, body: '' })
    const { text } = await twilio.call('GET', path, undefined, { auth: basic('any', key) })
    expect(text).not.toContain('secret')
  }
  const { key } = await twilio.newKey({ scopes: ['messages:cancel', 'messages:read'] })
  expect((await twilio.call('POST', path, {}, { auth: basic('any', key) })).json.body).toBe('secret')
})

test('a key that may cancel but not list messages cannot erase messages', async () => {
  await twilio.newAccount()
  const { sid } = (await twilio.create({ Body: 'history' })).json
  const path = `${twilio.messages}/${sid}.json`
  await twilio.finish(sid, 'Sent')
  const narrow = { auth: basic('any', (await twilio.newKey({ scopes: ['messages:cancel', 'messages:read'] })).key) }
  for (const form of [{ Body: '' }, { Body: '', Status: 'canceled' }])
    expect(await codeOf(twilio.call('POST', path, form, narrow))).toEqual([403, 20003])
  const refused = await twilio.call('DELETE', path, undefined, narrow)
  expect([refused.status, refused.json.message]).toEqual([
    403,
    expect.stringContaining('scope required: messages:list'),
  ])
  expect((await twilio.call('GET', path)).json.body).toBe('history')
  const wide = { auth: basic('any', (await twilio.newKey({ scopes: ['messages:cancel', 'messages:list'] })).key) }
  expect((await twilio.call('POST', path, { Body: '' }, wide)).status).toBe(200)
  expect((await twilio.call('GET', path)).json.body).toBe('')
  expect((await twilio.call('DELETE', path, undefined, wide)).status).toBe(204)
})

test('each recipient of a message of our own API is a separate message, and is deleted separately', async () => {
  await twilio.newAccount()
  const numbers = [TO, '+447400123457', '+447400123458']
  const body = { phoneNumbers: numbers, textMessage: { text: 'All' } }
  expect((await twilio.relay.api('POST', '/messages', { auth: twilio.account.basic, body })).status).toBe(202)
  const list = async () =>
    (await twilio.call('GET', `${twilio.messages}.json`)).json.messages as { sid: string; to: string }[]
  expect((await list()).map(({ to }) => to)).toEqual(numbers)
  for (const { sid } of await list()) await twilio.finish(sid, 'Sent')
  for (const [index, { sid }] of (await list()).entries()) {
    expect((await twilio.call('DELETE', `${twilio.messages}/${sid}.json`)).status).toBe(204)
    expect((await list()).map(({ to }) => to)).toEqual(numbers.slice(index + 1))
  }
  expect(await twilio.database.message.count({ where: { accountId: twilio.account.id } })).toBe(0)
})

test('a received message can be fetched, redacted and deleted', async () => {
  await twilio.newAccount()
  const sid = await twilio.receive('abcdefghijklmnopqrstu-1_xyz')
  const path = `${twilio.messages}/${sid}.json`
  expect((await twilio.call('GET', path)).json).toMatchObject({
    sid,
    direction: 'inbound',
    status: 'received',
    from: TO,
    to: FROM,
    body: 'Answer',
  })
  expect(await codeOf(twilio.call('POST', path, { Status: 'canceled' }))).toEqual([400, 30409])
  const { key } = await twilio.newKey({ scopes: ['messages:read', 'messages:cancel'] })
  expect(await codeOf(twilio.call('DELETE', path, undefined, { auth: basic('AC', key) }))).toEqual([404, 20404])
  expect((await twilio.call('POST', path, { Body: '' })).json.body).toBe('')
  expect((await twilio.call('DELETE', path)).status).toBe(204)
  expect(await codeOf(twilio.call('GET', path))).toEqual([404, 20404])
})
