// Reports to the `dlr-url` of a message.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { advanceMessages } from '../../messages/progress/advance-messages.ts'
import type { RecipientInput } from '../../messages/progress/message-state.ts'
import { answerWith, type TestReceiverOptions, testReceivers } from '../../webhooks/testing/test-receiver.ts'
import { DEVICE, type FacadeRelay, facadeRelay } from '../testing/facade-relay.ts'

const [NUMBER, FROM] = ['+447400123456', '+447400000001']
let relay: FacadeRelay
let login: string
const receivers = testReceivers()

beforeAll(async () => {
  relay = await facadeRelay({ settings: { WEBHOOK_ALLOW_HTTP: '1', WEBHOOK_ALLOW_CIDRS: '127.0.0.1' } })
  login = `username=any&password=${await relay.createKey()}`
})
beforeEach(async () => {
  await relay.database.message.deleteMany()
  await relay.database.webhook.deleteMany()
})
afterEach(() => receivers.close())
afterAll(() => relay.close())

const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 90_000, interval: 20 })

async function send(parameters: Readonly<Record<string, string>>) {
  const query = new URLSearchParams({ to: NUMBER, text: 'hi', ...parameters })
  const answer = await relay.request('GET', `/cgi-bin/sendsms?${login}&${query}`, { auth: null })
  return { status: answer.status, text: answer.text, id: answer.headers.get('x-message-id') ?? '' }
}

async function advance(id: string, ...inputs: readonly Omit<RecipientInput, 'at'>[]): Promise<void> {
  const { cmdId } = await relay.database.recipient.findFirstOrThrow({ where: { message: { id } } })
  for (const input of inputs)
    await relay.database.$transaction((statements) => {
      const update = { accountId: relay.account.id, cmdId, input: { ...input, at: new Date() } as RecipientInput }
      return advanceMessages(statements, [{ ...update, sender: FROM, simNumber: 1 }], new Date())
    })
}

const sent = { kind: 'sent' } as never
const delivered = { kind: 'delivered' } as never
const failed = { kind: 'failed', code: 'report_failed', reason: 'no answer' } as never
const listening = async (answer?: TestReceiverOptions['answer']) => await receivers.start(answer)

test('the wanted reports are GET requests to dlr-url, in order, with its placeholders replaced', async () => {
  const receiver = await listening()
  const url = `${receiver.url}dlr?type=%d&phone=%p&from=%P&id=%F&smsc=%i&at=%t&unix=%T&answer=%A&left=100%%&gone=%k%o&kept=%20%zz`
  const { status, id } = await send({ 'dlr-url': url, 'dlr-mask': '31' })
  expect(status).toBe(202)
  await advance(id, sent, delivered)
  await eventually(() => expect(receiver.requests).toHaveLength(2))
  expect(receiver.requests.map(({ method, body }) => [method, body])).toEqual([
    ['GET', ''],
    ['GET', ''],
  ])
  const [first, second] = receiver.requests.map(({ url: path }) => path)
  const common = {
    phone: NUMBER,
    from: FROM,
    id,
    smsc: DEVICE,
    at: expect.stringMatching(/^20\d\d-\d\d-\d\d \d\d:\d\d$/),
    unix: expect.stringMatching(/^\d{10}$/),
  }
  const ends = (path = '') => path.slice(path.indexOf('&left='))
  expect(ends(first)).toBe('&left=100%&gone=&kept=%20%zz')
  const read = (path = '') =>
    Object.fromEntries(new URL(path.slice(0, path.indexOf('&left=')), receiver.url).searchParams)
  expect(read(first)).toEqual({ ...common, type: '8', answer: 'ACK/' })
  expect(read(second)).toEqual({ ...common, type: '1', answer: 'DELIVRD' })
})

test('only reports in dlr-mask are sent, and only about messages that want them', async () => {
  const receiver = await listening()
  const url = `${receiver.url}%d`
  const [all, final, none, noMask] = [
    await send({ 'dlr-url': url, 'dlr-mask': '31' }),
    await send({ dlrurl: url, dlrmask: '3' }),
    await send({ 'dlr-url': url, 'dlr-mask': '0' }),
    await send({ 'dlr-url': url }),
  ]
  for (const { id } of [none, noMask]) await advance(id, sent, delivered)
  await advance(final.id, sent, failed)
  await advance(all.id, failed)
  await eventually(() => expect(receiver.requests).toHaveLength(2))
  expect(receiver.requests.map(({ url: path }) => path).sort()).toEqual(['/16', '/2'])
  await eventually(async () =>
    expect(await relay.database.webhookDelivery.count({ where: { state: 'waiting' } })).toBe(0),
  )
  expect(receiver.requests).toHaveLength(2)
})

test('a report is repeated until the URL answers with 2xx, and the delivery log shows it', async () => {
  const receiver = await listening((response, _, number) => answerWith(number === 1 ? 500 : 204)(response))
  const { id } = await send({ 'dlr-url': `${receiver.url}?d=%d`, 'dlr-mask': '8' })
  await advance(id, sent)
  await eventually(() => expect(receiver.requests).toHaveLength(1))
  await relay.database.webhookDelivery.updateMany({ data: { nextAttemptAt: new Date(0) } })
  const { json: webhooks } = await relay.api('GET', '/webhooks')
  expect(webhooks).toMatchObject([{ url: receiver.url, format: 'kannel-dlr', name: 'dlr-url' }])
  await eventually(() => expect(receiver.requests.map(({ url }) => url)).toEqual(['/?d=8', '/?d=8']))
  await eventually(async () =>
    expect((await relay.api('GET', `/webhooks/${webhooks[0].id}/deliveries`)).json).toMatchObject([
      { state: 'delivered' },
    ]),
  )
  expect(
    (await relay.api('PATCH', `/webhooks/${webhooks[0].id}`, { body: { url: 'https://example.com' } })).status,
  ).toBe(409)
  expect((await relay.api('POST', `/webhooks/${webhooks[0].id}/test`)).status).toBe(202)
  await eventually(() => expect(receiver.requests.at(-1)?.url).toBe('/'))
})

test('a dlr-url that is not allowed is refused before the message is accepted', async () => {
  for (const url of [
    'not a url',
    'ftp://example.com/%d',
    'http://10.0.0.1/%d',
    // The octets of 127.0.0.1. A placeholder would begin with `%31` if the host could contain one.
    'http://%31%32%37.0.0.%31/%d',
    `https://example.com/${'x'.repeat(3_000)}`,
  ])
    expect([url, (await send({ 'dlr-url': url, 'dlr-mask': '1' })).status]).toEqual([url, 400])
  expect(await send({ 'dlr-url': 'https://example.com/', 'dlr-mask': 'all' })).toMatchObject({
    status: 400,
    text: 'Dlr-mask field misformed, rejected',
  })
  expect(await relay.accepted()).toEqual([])
})

test('placeholders cannot lead a request to another host or to a forbidden address', async () => {
  const other = await listening()
  const { id, status } = await send({ 'dlr-url': `http://%d.${new URL(other.url).host}/`, 'dlr-mask': '31' })
  expect(status).toBe(400)
  expect(id).toBe('')
})
