// Alertmanager's payload version 4 and Grafana's payload version 1, sent to a relay.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FacadeRelay, facadeRelay } from '../facades/testing/facade-relay.ts'

const [NUMBER, OTHER] = ['+447400123456', '+447400123457']
const STARTED = '2026-03-01T11:59:30.123456789Z'
const clock = { aheadMs: 0, now: () => new Date(Date.parse('2026-03-01T12:00:00Z') + clock.aheadMs) }
let relay: FacadeRelay
let key: string

beforeAll(async () => {
  relay = await facadeRelay({ clock })
  key = await relay.createKey()
})
beforeEach(async () => {
  clock.aheadMs = 0
  await relay.database.message.deleteMany()
})
afterAll(() => relay.close())

const alertOf = (instance: string, more: object = {}) => ({
  status: 'firing',
  labels: { alertname: 'DiskFull', instance, severity: 'page' },
  annotations: { summary: `Disk full on ${instance}` },
  startsAt: STARTED,
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'http://prometheus:9090/graph',
  fingerprint: 'c9a1b2',
  ...more,
})

const group = (more: object = {}) => ({
  version: '4',
  groupKey: '{}/{severity="page"}:{alertname="DiskFull"}',
  truncatedAlerts: 0,
  status: 'firing',
  receiver: 'sms',
  groupLabels: { alertname: 'DiskFull' },
  commonLabels: { alertname: 'DiskFull', severity: 'page' },
  commonAnnotations: {},
  externalURL: 'http://alertmanager:9093',
  alerts: [alertOf('web1'), alertOf('web2')],
  ...more,
})

const notify = async (body: object = group(), query: Record<string, string> = { to: NUMBER }, auth = `Bearer ${key}`) =>
  await relay.request('POST', `/hooks/alertmanager?${new URLSearchParams(query)}`, { auth, body })

const texts = async () => (await relay.accepted()).map(({ textMessage }) => textMessage.text)

test('a group of alerts becomes one SMS to all recipients', async () => {
  const { status, json } = await notify(group(), { to: `${NUMBER}, ${OTHER}` })
  const [message, ...others] = await relay.accepted()
  expect(others).toEqual([])
  expect([status, json]).toEqual([200, { result: 'accepted', messageId: message?.id }])
  expect(message).toMatchObject({
    textMessage: { text: '[FIRING:2] DiskFull: Disk full on web1; Disk full on web2' },
    recipients: [{ phoneNumber: NUMBER }, { phoneNumber: OTHER }],
    sentBy: { kind: 'key', keyName: 'alerts' },
  })
})

test('accepts a number whose + is not encoded, because people write addresses by hand', async () => {
  await relay.request('POST', `/hooks/alertmanager?to=${NUMBER},${OTHER}`, { auth: `Bearer ${key}`, body: group() })
  expect(await relay.accepted()).toMatchObject([{ recipients: [{ phoneNumber: NUMBER }, { phoneNumber: OTHER }] }])
})

test('sends to a short code and another number', async () => {
  expect((await notify(group(), { to: `72727, ${NUMBER}` })).status).toBe(200)
  expect(await relay.accepted()).toMatchObject([{ recipients: [{ phoneNumber: '72727' }, { phoneNumber: NUMBER }] }])
})

test('without recipients in the address, the recipients of the API key get the message', async () => {
  const limited = await relay.createKey({ limits: { recipients: [NUMBER, OTHER] } })
  expect((await notify(group(), {}, `Bearer ${limited}`)).status).toBe(200)
  expect(await relay.accepted()).toMatchObject([{ recipients: [{ phoneNumber: NUMBER }, { phoneNumber: OTHER }] }])
  const prefix = await relay.createKey({ limits: { recipients: [NUMBER, '+49*'] } })
  for (const auth of [`Bearer ${prefix}`, `Bearer ${key}`, relay.account.basic]) {
    const { status, json } = await notify(group(), {}, auth)
    expect([status, json.message]).toEqual([
      400,
      'to is required: add ?to=%2B447400123456 to the address, or limit the API key to the recipients',
    ])
  }
})

test('a retry, and a second Alertmanager with other measured values, send nothing', async () => {
  const first = await notify()
  const other = group({ alerts: [alertOf('web2', { annotations: { summary: 'Disk 97 % full' } }), alertOf('web1')] })
  const answers = await Promise.all([notify(), notify(other), notify(other, { to: NUMBER, template: 'x' })])
  for (const { status, json } of answers)
    expect([status, json]).toEqual([200, { result: 'repeated', messageId: first.json.messageId }])
  expect(await texts()).toHaveLength(1)
})

test('fifty simultaneous notifications of the same alerts send one message', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => notify()))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(answers.filter(({ json }) => json.result === 'accepted')).toHaveLength(1)
  expect(await texts()).toHaveLength(1)
})

test('a new alert, another group, another recipient and the end of the alerts each send a message', async () => {
  const later = alertOf('web3', { startsAt: '2026-03-01T12:00:00Z' })
  const ended = { status: 'resolved', endsAt: '2026-03-01T12:00:00Z' }
  for (const [body, to] of [
    [group(), NUMBER],
    [group({ alerts: [...group().alerts, later] }), NUMBER],
    [group({ groupKey: 'other' }), NUMBER],
    [group(), OTHER],
    [group({ status: 'resolved', alerts: [alertOf('web1', ended), alertOf('web2', ended)] }), NUMBER],
  ] as const)
    expect((await notify(body, { to })).json.result).toBe('accepted')
  expect((await texts()).at(-1)).toBe('[RESOLVED:2] DiskFull: Disk full on web1; Disk full on web2')
})

test('a group in which some alerts have ended names only the firing alerts', async () => {
  await notify(group({ alerts: [alertOf('web1', { status: 'resolved' }), alertOf('web2')] }))
  expect(await texts()).toEqual(['[FIRING:1] DiskFull: Disk full on web2'])
})

test('the end of alerts is not sent with resolved=false', async () => {
  const body = group({ status: 'resolved', alerts: [alertOf('web1', { status: 'resolved' })] })
  expect((await notify(body, { to: NUMBER, resolved: 'false' })).json).toEqual({ result: 'ignored' })
  expect(await texts()).toEqual([])
})

test('repeated notifications are sent as reminders at the chosen interval', async () => {
  const results = []
  for (const minutes of [0, 1, 239, 240, 241, 480]) {
    clock.aheadMs = minutes * 60_000
    results.push((await notify(group(), { to: NUMBER, remindHours: '4' })).json.result)
  }
  expect(results).toEqual(['accepted', 'repeated', 'repeated', 'accepted', 'repeated', 'accepted'])
})

test('a template names status, count, labels, annotations, alerts and address', async () => {
  const template = '{status} {count} {label.severity} {label.instance} {annotation.summary} {url} {alerts}'
  await notify(group(), { to: NUMBER, template })
  expect(await texts()).toEqual([
    'FIRING 2 page web1, web2 Disk full on web1, Disk full on web2 http://alertmanager:9093 Disk full on web1; Disk full on web2',
  ])
})

test('an alert with a mistake in its template still arrives', async () => {
  const rows = [
    ['{labels.alertname} {constructor} {label.constructor}{', '{labels.alertname} {constructor} {'],
    ['{label.missing}', '[FIRING:2] DiskFull: Disk full on web1; Disk full on web2'],
    [' ', '[FIRING:2] DiskFull: Disk full on web1; Disk full on web2'],
    ['{}', '{}'],
  ] as const
  for (const [index, [template, expected]] of rows.entries()) {
    await notify(group({ groupKey: `template ${index}` }), { to: NUMBER, template })
    expect((await texts()).at(-1)).toBe(expected)
  }
})

test('an alert without annotations is named by its labels', async () => {
  const bare = { annotations: {} }
  await notify(
    group({ alerts: [alertOf('web1', bare), alertOf('web2', { annotations: { description: 'No space' } })] }),
  )
  expect(await texts()).toEqual(['[FIRING:2] DiskFull: DiskFull web1; No space'])
})

test('a long text is shortened to the stated number of parts', async () => {
  const alerts = Array.from({ length: 200 }, (_, index) => alertOf(`server-${index}`))
  for (const [parts, length] of [
    [1, 160],
    [2, 306],
    [10, 1530],
  ] as const) {
    await notify(group({ alerts, groupKey: `${parts}`, truncatedAlerts: 7 }), { to: NUMBER, parts: String(parts) })
    const text = (await texts()).at(-1) ?? ''
    expect(text).toMatch(/^\[FIRING:207\] DiskFull: Disk full on server-0; .*\.\.\.$/)
    expect([parts, text.length <= length && text.length > length - 4]).toEqual([parts, true])
  }
})

test('no more parts are used than the relay allows', async () => {
  const small = await facadeRelay({ settings: { MAX_SEGMENTS: '2' } })
  const alerts = Array.from({ length: 200 }, (_, index) => alertOf(`server-${index}`))
  const { status } = await small.request('POST', `/hooks/alertmanager?to=${NUMBER}`, { body: group({ alerts }) })
  expect(status).toBe(200)
  expect((await small.accepted())[0]?.textMessage.text.length).toBeLessThanOrEqual(306)
  await small.close()
})

test('a notification of Grafana becomes an SMS', async () => {
  const { version: _, ...rest } = group()
  const body = { ...rest, version: '1', orgId: 1, title: '[FIRING:2]', state: 'alerting', message: 'long text' }
  const { status, json } = await relay.request('POST', `/hooks/grafana?to=${NUMBER}`, { body })
  expect([status, json.result]).toEqual([200, 'accepted'])
  expect(await texts()).toEqual(['[FIRING:2] DiskFull: Disk full on web1; Disk full on web2'])
})

test('an alert without labels or annotations still arrives', async () => {
  const alerts = [alertOf('web1', { annotations: null })]
  const { status } = await notify(group({ alerts, groupLabels: null, commonAnnotations: null }))
  expect(status).toBe(200)
  expect(await texts()).toEqual(['[FIRING:1] DiskFull: DiskFull web1'])
})

test('hostile and foreign payloads get one clear error, and nothing is sent', async () => {
  const rows: [object, string][] = [
    [
      group({ version: '3' }),
      'version must be "4", because other versions of the Alertmanager payload are not supported',
    ],
    [group({ alerts: [] }), 'alerts must have at least 1 item'],
    [group({ alerts: 'x' }), 'alerts must be a list'],
    [group({ alerts: [alertOf('web1', { startsAt: 'now' })] }), 'alerts[0].startsAt has the wrong format: see /docs'],
    [group({ alerts: [alertOf('web1', { labels: { a: {} } })] }), 'alerts[0].labels.a must be a string'],
    [group({ commonLabels: 'x' }), 'commonLabels must be a JSON object'],
    [group({ status: 'on' }), 'status must be one of firing, resolved'],
    [group({ groupKey: 'x'.repeat(10_001) }), 'groupKey must have at most 10000 characters'],
    [[], 'The body must be a JSON object'],
  ]
  for (const [body, message] of rows) {
    const { status, json } = await notify(body)
    expect([status, json.message]).toEqual([400, message])
  }
  expect((await notify({ ...group(), filler: 'x'.repeat(300_000) })).status).toBe(413)
  const many = Array.from({ length: 500 }, (_, index) => `+4474001${String(index).padStart(5, '0')}`).join(',')
  expect((await notify(group(), { to: many })).json.message).toBe('phoneNumbers must have at most 100 items')
  expect((await notify(group(), { to: 'hello' })).status).toBe(400)
  expect((await notify(group(), { to: NUMBER, parts: '11' })).json.message).toBe('parts must be at most 10')
  expect(await texts()).toEqual([])
})
