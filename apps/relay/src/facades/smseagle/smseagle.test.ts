// Tests SMSEagle's API v1 and v2 with the exact requests of programs.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DEVICE, type FacadeRelay, facadeRelay } from '../testing/facade-relay.ts'

const NUMBER = '+447400123456'
const NOW = new Date('2026-03-01T12:00:00Z')
let relay: FacadeRelay
let key: string

beforeAll(async () => {
  relay = await facadeRelay({ clock: { now: () => NOW } })
  key = await relay.createKey()
})
beforeEach(async () => {
  await relay.database.message.deleteMany()
})
afterAll(() => relay.close())

const v1 = (parameters: Readonly<Record<string, string>>, path = '/http_api/send_sms') =>
  relay.request('GET', `${path}?${new URLSearchParams({ to: NUMBER, message: 'hi', ...parameters })}`, { auth: null })

test('send_sms answers with the id as text or XML', async () => {
  const text = await v1({ access_token: key })
  const xml = await v1({ access_token: key, responsetype: 'xml' }, '/index.php/http_api/send_sms')
  const [first, second] = await relay.accepted()
  expect([text.status, text.text]).toEqual([200, `OK; ID=${first?.id}`])
  expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(xml.text).toBe(`<xml>\n<message_id>${second?.id}</message_id>\n<status>ok</status>\n</xml>`)
  expect(xml.headers.get('content-type')).toBe('text/xml; charset=utf-8')
})

test('send_sms answers errors with the words of the original', async () => {
  const error = (text: string) => `<xml>\n<error_text>${text}</error_text>\n<status>error</status>\n</xml>`
  const rows = [
    [{ access_token: 'wrong' }, 'Invalid access token'],
    [{}, 'Invalid access token'],
    [{ login: 'john', pass: 'doe' }, 'Invalid login or password'],
    [{ login: 'john' }, 'Invalid login or password'],
    [{ access_token: key, to: '' }, 'Wrong parameters'],
    [{ access_token: key, message: '' }, 'Wrong parameters'],
  ] as const
  for (const [parameters, expected] of rows) {
    const { status, text } = await v1(parameters)
    expect([status, text]).toEqual([200, expected])
    expect((await v1({ ...parameters, responsetype: 'xml' })).text).toBe(error(expected))
  }
})

test('send_sms accepts the username and password of the account', async () => {
  const { username, password } = relay.account
  expect((await v1({ login: username, pass: password })).text).toMatch(/^OK; ID=/)
  expect(await relay.accepted()).toMatchObject([{ sentBy: { kind: 'password' } }])
})

test('send_sms sends one message to several numbers, with time, priority, SIM and validity', async () => {
  const more = { date: '202603011530', highpriority: '1', modem_no: '2', validity: '1d', unicode: '1', oid: 'mine' }
  await v1({ access_token: key, to: `${NUMBER}, +447400123457`, ...more })
  expect(await relay.accepted()).toMatchObject([
    {
      deviceId: DEVICE,
      simNumber: 2,
      priority: 9,
      scheduleAt: new Date(2026, 2, 1, 15, 30).toISOString(),
      validUntil: '2026-03-02T12:00:00.000Z',
      recipients: [{ phoneNumber: NUMBER }, { phoneNumber: '+447400123457' }],
    },
  ])
})

test('send_sms refuses parameters that it cannot apply, instead of ignoring them', async () => {
  const rows = [
    [{ flash: '1' }, 'flash is not supported: leave it out'],
    [{ test: '1' }, 'test is not supported: leave it out'],
    [{ send_after: '08:00' }, 'send_after is not supported: leave it out'],
    [{ message_type: 'mms' }, 'message_type must be "sms": MMS cannot be sent'],
    [{ modem_no: 'x' }, 'modem_no must be the slot of a SIM, counted from 1'],
    [{ date: '202602301200' }, 'date must be a time in the format YYYYmmDDHHMM'],
    [{ date: 'soon' }, 'date must be a time in the format YYYYmmDDHHMM'],
    [{ date: '202001011200' }, 'scheduleAt must be in the future: leave it out to send now'],
    [{ validity: 'long' }, 'validity must be "max" or a duration such as 5m, 4h, 1d or 2w'],
  ] as const
  for (const [parameters, problem] of rows) {
    const { status, text, headers } = await v1({ access_token: key, ...parameters })
    expect([status, text, headers.get('x-problem')]).toEqual([200, 'Wrong parameters', problem])
  }
  expect(await relay.accepted()).toEqual([])
})

// The request of Apprise's smseagle:// plugin.
const rpc = (params: object, method = 'sms.send_sms') =>
  relay.request('POST', '/jsonrpc/sms', {
    auth: null,
    body: {
      method,
      params: {
        access_token: key,
        to: NUMBER,
        message: 'hi',
        highpriority: 0,
        unicode: 1,
        flash: 0,
        test: 0,
        ...params,
      },
    },
  })

test('JSON-RPC answers as Apprise expects', async () => {
  const extended = await rpc({ message_type: 'sms', responsetype: 'extended' })
  const simple = await rpc({})
  const [first, second] = await relay.accepted()
  expect([extended.status, extended.json]).toEqual([200, { result: { message_id: first?.id, status: 'ok' } }])
  expect(simple.json).toEqual({ result: `OK; ID=${second?.id}` })
})

test('JSON-RPC answers errors in the requested format', async () => {
  const failed = (text: string) => ({ result: { error_text: text, status: 'error' } })
  expect((await rpc({ access_token: 'no', responsetype: 'extended' })).json).toEqual(failed('Invalid access token'))
  expect((await rpc({ access_token: 'no' })).json).toEqual({ result: 'Invalid access token' })
  expect((await rpc({ to: '', responsetype: 'extended' })).json).toEqual(failed('Wrong parameters'))
  const image = { message_type: 'mms', attachments: [{ content_type: 'image/png', content: 'AAAA' }] }
  expect((await rpc({ ...image, responsetype: 'extended' })).json).toEqual(failed('Wrong parameters'))
  const other = await rpc({}, 'sms.send_togroup')
  expect(other.json).toEqual({ result: 'Wrong parameters' })
  expect(other.headers.get('x-problem')).toBe('Method "sms.send_togroup" is not supported: use sms.send_sms')
})

// The request of Uptime Kuma's SMSEagle provider.
const v2 = (body: object, token = key) =>
  relay.request('POST', '/api/v2/messages/sms', {
    auth: null,
    headers: { 'access-token': token },
    body: { text: 'Up', encoding: 'standard', priority: 0, to: [NUMBER], ...body },
  })

test('the API v2 answers with one queued entry for each number, as Uptime Kuma expects', async () => {
  const { status, json } = await v2({ to: [NUMBER, '+447400123457'], priority: 7 })
  const [message] = await relay.accepted()
  expect(message).toMatchObject({ priority: 7, textMessage: { text: 'Up' } })
  expect([status, json]).toEqual([
    200,
    [NUMBER, '+447400123457'].map((number) => ({ status: 'queued', number, message: 'OK', id: message?.id })),
  ])
})

test('the API v2 refuses groups, contacts, times and wrong tokens', async () => {
  const refused = async (body: object, token?: string) => {
    const { status, json } = await v2(body, token)
    return [status, json.message]
  }
  expect(await refused({ groups: [1] })).toEqual([400, 'groups must be empty: list all phone numbers in "to"'])
  expect(await refused({ contacts: [1] })).toEqual([400, 'contacts must be empty: list all phone numbers in "to"'])
  expect(await refused({ date: '2026' })).toEqual([400, 'date is not supported: leave it out'])
  expect(await refused({ priority: 10 })).toEqual([400, 'priority must be at most 9'])
  expect((await refused({}, 'no'))[0]).toBe(401)
  expect(await relay.accepted()).toEqual([])
})
