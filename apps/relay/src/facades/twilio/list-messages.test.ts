import { afterAll, beforeAll, expect, test } from 'vitest'
import { idOfSid } from './sid.ts'
import { basic, type Form, FROM, OTHER_FROM, TO, TwilioRelay } from './testing/twilio-relay.ts'

let twilio: TwilioRelay

beforeAll(async () => {
  twilio = await TwilioRelay.start()
})
afterAll(() => twilio.relay.close())

test.each(['0000-01-01', '9999-12-31', '2026-02-31', '0000-01-01T00:00:00Z'])(
  'the date %s causes no internal error',
  async (date) => {
    await twilio.newAccount()
    for (const name of ['DateSent', 'DateSent<', 'DateSent>'])
      expect(
        (await twilio.call('GET', `${twilio.messages}.json?${new URLSearchParams({ [name]: date })}`)).status,
      ).toBe(date.startsWith('9999') ? 200 : 400)
    const list = (token: string) => twilio.call('GET', `${twilio.messages}.json?Page=1&PageToken=${token}`)
    expect((await list('PA99999999999999.0.999999999999999999.9999')).status).toBe(200)
  },
)

test('the pages of a list together contain each message once, whatever their size', async () => {
  await twilio.newAccount()
  const body = { phoneNumbers: [TO, '+447400123457', '+447400123458'], textMessage: { text: 'All' } }
  for (let round = 0; round < 3; round += 1) {
    await twilio.relay.api('POST', '/messages', { auth: twilio.account.basic, body })
    await twilio.create({ Body: `single ${round}` })
    await twilio.receive(`${round}`.repeat(27), `received ${round}`)
  }
  // All messages have the same time, so that their order does not depend on it.
  await twilio.database.message.updateMany({
    where: { accountId: twilio.account.id },
    data: { createdAt: new Date('2026-03-01T12:00:00Z') },
  })
  await twilio.database.inboxItem.updateMany({
    where: { accountId: twilio.account.id },
    data: { createdAt: new Date('2026-03-01T12:00:00Z') },
  })
  for (const size of [1, 2, 3, 4, 5, 14, 15, 16, 1000]) {
    const sids: string[] = []
    let next: string | null = `/2010-04-01${twilio.messages}.json?PageSize=${size}`
    for (let page = 0; next !== null; page += 1) {
      const { status, json } = await twilio.relay.request('GET', next, { auth: twilio.account.basic })
      expect([status, json.page, json.page_size, json.start]).toEqual([200, page, size, page * size])
      expect(json.messages.length).toBeLessThanOrEqual(size)
      sids.push(...json.messages.map(({ sid }: { sid: string }) => sid))
      next = json.next_page_uri
    }
    expect([size, sids.length, new Set(sids).size]).toEqual([size, 15, 15])
  }
})

test('a list is filtered by number and date, and shows only messages that the caller may read', async () => {
  await twilio.newAccount()
  const old = (await twilio.create({ Body: 'old' })).json.sid
  const messageKey = (await twilio.database.recipient.findUniqueOrThrow({ where: { cmdId: idOfSid(old, 'SM') ?? '' } }))
    .messageKey
  await twilio.database.message.update({
    where: { key: messageKey },
    data: { createdAt: new Date('2020-02-02T10:00:00Z') },
  })
  const other = (await twilio.create({ To: '+447400123457' })).json.sid
  await twilio.finish(other, 'Sent', { senderNumber: OTHER_FROM })
  const received = await twilio.receive('z'.repeat(27))
  const list = async (query: Form, auth?: string) => {
    const { status, json } = await twilio.call(
      'GET',
      `${twilio.messages}.json?${new URLSearchParams(query)}`,
      undefined,
      {
        ...(auth && { auth }),
      },
    )
    return status === 200 ? json.messages.map(({ sid }: { sid: string }) => sid) : [status, json.code]
  }
  expect(await list({})).toEqual([received, other, old])
  expect(await list({ To: '07400 123456' })).toEqual([old])
  expect(await list({ To: FROM })).toEqual([received])
  expect(await list({ From: TO })).toEqual([received])
  expect(await list({ From: OTHER_FROM })).toEqual([other])
  expect(await list({ To: '+447400123457', From: OTHER_FROM })).toEqual([other])
  expect(await list({ DateSent: '2020-02-02' })).toEqual([old])
  expect(await list({ DateSent: '2020-02-02T00:00:00Z' })).toEqual([old])
  expect(await list({ DateSent: '2020-02-03' })).toEqual([])
  expect(await list({ 'DateSent<': '2020-02-02T10:00:00Z' })).toEqual([old])
  expect(await list({ 'DateSent<': '2020-02-02' })).toEqual([])
  expect(await list({ 'DateSent>': '2020-02-03' })).toEqual([received, other])
  expect(await list({ 'DateSent>': '2020-02-01', 'DateSent<': '2020-02-03' })).toEqual([old])
  for (const query of [{ PageSize: '0' }, { PageSize: '1001' }, { DateSent: 'never' }, { DateSent: '2026-99-99' }])
    expect(await list(query as unknown as Form)).toEqual([400, 20001])
  for (const query of [{ Page: '1' }, { PageToken: 'PA1' }, { PageToken: "PA1.0.1.0' OR 1=1" }])
    expect(await list(query as unknown as Form)).toEqual([400, 20006])
  const { key } = await twilio.newKey({ scopes: ['messages:list'] })
  expect(await list({}, basic('AC', key))).toEqual([other, old])
  const inbox = await twilio.newKey({ scopes: ['inbox:list'] })
  expect(await list({}, basic('AC', inbox.key))).toEqual([received])
})
