// Tests each parameter and answer of Kannel's interface for sending.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DEVICE, type FacadeRelay, facadeRelay } from '../testing/facade-relay.ts'

const NUMBER = '+447400123456'
const NOW = new Date('2026-03-01T12:00:00Z')
let relay: FacadeRelay
let login: string

beforeAll(async () => {
  relay = await facadeRelay({ clock: { now: () => NOW } })
  login = `username=any&password=${await relay.createKey()}`
})
beforeEach(async () => {
  await relay.database.message.deleteMany()
})
afterAll(() => relay.close())

const send = async (query: string, credentials = login) => {
  const answer = await relay.request('GET', `/cgi-bin/sendsms?${credentials}&${query}`, { auth: null })
  return [answer.status, answer.text]
}
const to = `to=${encodeURIComponent(NUMBER)}`
const texts = async () => (await relay.accepted()).map(({ textMessage }) => textMessage.text)

test('an accepted message is answered with 202 and the words of Kannel', async () => {
  const answer = await relay.request('GET', `/cgi-bin/sendsms?${login}&${to}&text=Hello+World&from=123`, { auth: null })
  expect([answer.status, answer.text]).toEqual([202, '0: Accepted for delivery'])
  expect(await relay.accepted()).toMatchObject([
    {
      id: answer.headers.get('x-message-id'),
      recipients: [{ phoneNumber: NUMBER }],
      textMessage: { text: 'Hello World' },
    },
  ])
})

test('the parameter account and the shorter names of parameters are accepted', async () => {
  const { username, password } = relay.account
  expect(await send(`${to}&text=hi`, `user=${username}&pass=${password}`)).toEqual([202, '0: Accepted for delivery'])
})

test('errors have the status and the words of Kannel', async () => {
  const limited = `user=x&pass=${await relay.createKey({ limits: { recipients: ['+49*'] } })}`
  expect(await send(`${to}&text=hi`, 'username=x&password=y')).toEqual([403, 'Authorization failed for sendsms'])
  expect(await send(`${to}&text=hi`, 'username=x')).toEqual([403, 'Authorization failed for sendsms'])
  expect(await send('text=hi')).toEqual([400, 'Missing receiver number, rejected'])
  expect(await send('to=&text=hi')).toEqual([400, 'Empty receiver number not allowed, rejected'])
  expect(await send(`${to}&text=%ff&charset=UTF-8`)).toEqual([400, 'Charset or body misformed, rejected'])
  expect(await send(`${to}&text=x&charset=klingon`)).toEqual([400, 'Charset or body misformed, rejected'])
  expect(await send(`${to}&text=x&validity=soon`)).toEqual([400, 'Validity field misformed, rejected'])
  expect(await send(`${to}&text=x&priority=4`)).toEqual([400, 'Priority field misformed, rejected'])
  expect(await send(`${to}&text=hi`, limited)).toEqual([
    403,
    'Number(s) has/have been denied by white/black lists, or allowed/denied rules.',
  ])
  expect(await relay.accepted()).toEqual([])
})

test.each(['udh', 'mclass', 'flash', 'mwi', 'pid', 'compress'])(
  '%s is refused, because it would silently be ignored',
  async (name) => {
    expect(await send(`${to}&text=hi&${name}=1`)).toEqual([400, `${name} is not supported: leave it out`])
    expect(await send(`${to}&text=hi&coding=1`)).toEqual([400, 'coding 1 is not supported: use 0 or 2 for a text'])
    expect(await relay.accepted()).toEqual([])
  },
)

test('an error contains no markup of the request, because browsers show the answer as a page', async () => {
  const [status, text] = await send(`${to}&text=hi&<b>x</b>=1&<b>x</b>=2`)
  expect(status).toBe(400)
  expect(text).toContain('&lt;b&gt;x&lt;/b&gt; is given more than once')
})

test('texts are read in the charset of the request', async () => {
  for (const query of [
    'text=%C3%BC%E2%82%AC',
    'text=%FC%80',
    'text=%FC%80&charset=WINDOWS-1252',
    'text=%FC%A4&charset=ISO-8859-15',
    'text=%00%FC%20%AC&coding=2',
    'text=%00%FC%20%AC&charset=UCS-2',
    'text=%C3%BC%E2%82%AC&coding=2&charset=UTF-8',
  ])
    expect([query, await send(`${to}&${query}`)]).toEqual([query, [202, '0: Accepted for delivery']])
  expect(await texts()).toEqual(Array.from({ length: 7 }, () => 'ü€'))
})

test('a text that cannot be stored is refused', async () => {
  for (const query of ['text=a%00b', 'text=%D8%00&coding=2', 'text=%00&charset=UTF-8', 'text='])
    expect((await send(`${to}&${query}`))[0]).toBe(400)
  expect(await relay.accepted()).toEqual([])
})

test('several receivers are separated by spaces, and a + need not be encoded', async () => {
  const numbers = [NUMBER, '+447400123457']
  for (const query of [`to=${numbers.map(encodeURIComponent).join('+')}`, `to=${numbers.join('+')}`])
    expect([query, (await send(`${query}&text=hi`))[0]]).toEqual([query, 202])
  for (const { recipients } of await relay.accepted())
    expect(recipients.map(({ phoneNumber }) => phoneNumber)).toEqual(numbers)
})

test('time, validity, priority, and the SIM in smsc are used', async () => {
  await send(`${to}&text=hi&deferred=30&validity=60&priority=2&smsc=${DEVICE}:2&coding=0&dlr-mask=0`)
  expect(await relay.accepted()).toMatchObject([
    {
      deviceId: DEVICE,
      simNumber: 2,
      priority: 2,
      scheduleAt: '2026-03-01T12:30:00.000Z',
      validUntil: '2026-03-01T13:00:00.000Z',
    },
  ])
  expect((await send(`${to}&text=hi&smsc=unknown`))[0]).toBe(400)
})
