// The steps that test each bridge with a gateway or a relay.
import assert from 'node:assert/strict'
import { ApiClient, eventually } from '../api-client.ts'
import { Phone, PhoneDisk } from '../peers/phone.ts'
import { SmsgateCommand } from './command-line.ts'
import { goTime } from './go-request.ts'
import { OriginApiError, OriginClient, type OriginLogin } from './origin-client.ts'
import {
  apiUrl,
  aroundNow,
  clientOf,
  expectDelivered,
  newNumber,
  type OriginStep,
  type OriginWorld,
  textsTo,
} from './origin-world.ts'
import { OriginSmppSession } from './smpp-server.ts'
import { sendFallback } from './twilio-fallback.ts'
import { DASHBOARD_EVENTS, WebDashboard } from './web-dashboard.ts'

export const bridgeSteps: readonly OriginStep[] = [
  { name: 'the command line sends, reads states and logs, and manages webhooks', place: 'anywhere', run: runsCommands },
  { name: 'the command line sends a batch', place: 'anywhere', run: sendsBatch },
  { name: 'the e-mail bridge sends mails and reports errors', place: 'anywhere', run: sendsMails },
  { name: 'the SMPP server binds, submits, queries, receives and unbinds', place: 'anywhere', run: usesSmpp },
  { name: 'the fallback for Twilio sends a repeated message once', place: 'anywhere', run: fallsBack },
  {
    name: 'the web dashboard signs in, counts, follows events and changes settings',
    place: 'anywhere',
    run: usesDashboard,
  },
  { name: 'an API key with the documented scopes takes the place of the password', place: 'anywhere', run: usesKeys },
  { name: 'the web dashboard creates and revokes tokens', place: 'relay', run: managesTokens },
  { name: 'the command line sends an MMS, and the web dashboard receives one', place: 'relay', run: exchangesMms },
]

const gatewayOf = (world: OriginWorld) => ({ apiUrl: apiUrl(world), webhookUrl: world.callbacks.url })

async function runsCommands(world: OriginWorld): Promise<void> {
  const command = new SmsgateCommand(clientOf(world))
  const [first, second] = [newNumber(), newNumber()]
  const id = crypto.randomUUID()
  const sent = await command.send([first], { textMessage: { text: 'Hello, Dr. Turk!' } }, { body: { id, ttl: 5400 } })
  assert.ok(sent.status === 0 && sent.output.startsWith(`ID: ${id}\nState: P`), sent.output)
  await expectDelivered(world, id, first, 'Hello, Dr. Turk!')
  assert.deepEqual(await command.status(id), { status: 0, output: `ID: ${id}\nState: Delivered` })
  const data = { data: Buffer.from('hello').toString('base64'), port: 12_345 }
  assert.equal((await command.send([first, second], { dataMessage: data })).status, 0)
  const scheduled = {
    scheduleAt: goTime(Date.now() + 3_600_000),
    priority: -5,
    simNumber: 1,
    withDeliveryReport: false,
  }
  assert.equal((await command.send([second], { textMessage: { text: 'Later' } }, { body: scheduled })).status, 0)
  const short = { query: { skipPhoneValidation: true, deviceActiveWithin: 12 } }
  assert.equal((await command.send(['40404'], { textMessage: { text: 'STOP' } }, short)).status, 0)
  assert.equal((await command.send(['invalid'], { textMessage: { text: 'Hello' } })).status, 2)
  assert.equal((await command.status('never-was')).status, 2)

  const url = `${world.callbacks.url}/command-line`
  const made = await command.registerWebhook('sms:received', url, 'from-the-shell')
  assert.deepEqual(made, { status: 0, output: 'from-the-shell' })
  assert.ok((await command.listWebhooks()).output.includes(`from-the-shell ${url}`))
  assert.equal((await command.deleteWebhook('from-the-shell')).status, 0)
  assert.ok(!(await command.listWebhooks()).output.includes('from-the-shell'))
  await eventually(
    () => command.logs(aroundNow()),
    ({ status, output }) => status === 0 && output !== '',
  )
}

async function sendsBatch(world: OriginWorld): Promise<void> {
  const command = new SmsgateCommand(clientOf(world))
  const good = Array.from({ length: 20 }, (_, at) => ({ phone: newNumber(), text: `Row ${at}` }))
  const options = { body: { ttl: 3600, priority: 10 }, query: { deviceActiveWithin: 12 } }
  const sent = await command.batchSend(good, { concurrency: 5, continuesOnError: false, options })
  assert.deepEqual([sent.enqueued.length, sent.errors, sent.skipped], [20, [], 0])
  for (const { phone, text } of good)
    await eventually(
      () => textsTo(world, phone),
      (texts) => texts.join() === text,
    )
  const bad = { phone: 'hello', text: 'Nobody' }
  const some = await command.batchSend([bad, ...good.slice(0, 3)], { concurrency: 1, continuesOnError: true })
  assert.deepEqual([some.enqueued.length, some.errors.length, some.skipped], [3, 1, 0])
  const stopped = await command.batchSend([bad, ...good.slice(0, 3)], { concurrency: 1, continuesOnError: false })
  assert.deepEqual([stopped.enqueued.length, stopped.errors.length, stopped.skipped], [0, 1, 3])
}

async function sendsMails(world: OriginWorld): Promise<void> {
  const url = apiUrl(world)
  const [first, second] = [newNumber(), newNumber()]
  const login = world.user
  assert.equal(await deliverMail(url, { phone: first, body: 'Your table is ready\r\n', login }), 250)
  // Some versions of the bridge accept only digits in the address.
  const body = 'Line one\r\nLine two\r\n\r\n'
  assert.equal(await deliverMail(url, { phone: second.slice(1), body, login }, { skipsPhoneValidation: false }), 250)
  for (const [number, text] of [
    [first, 'Your table is ready'],
    [second, 'Line one\r\nLine two'],
  ] as const)
    await eventually(
      () => textsTo(world, number),
      (texts) => texts.join() === text,
    )
  assert.equal(await deliverMail(url, { phone: '40404', body, login }), 450)
  assert.equal(await deliverMail(url, { phone: '40404', body, login }, { skipsPhoneValidation: true }), 250)
  assert.equal(await deliverMail(url, { phone: first, body, login: { ...login, password: 'wrong' } }), 535)
}

async function usesSmpp(world: OriginWorld): Promise<void> {
  const { callbacks, emulator, user } = world
  const gateway = gatewayOf(world)
  // The password field of SMPP has 8 characters, so most clients cut off the password of the account.
  assert.equal(
    await OriginSmppSession.bind(gateway, 'transceiver', { ...user, password: user.password.slice(0, 8) }),
    0x0e,
  )
  const transmitter = await OriginSmppSession.bind(gateway, 'transmitter', user)
  const session = await OriginSmppSession.bind(gateway, 'transceiver', user)
  assert.ok(session instanceof OriginSmppSession && transmitter instanceof OriginSmppSession)
  const registered = async () => (await clientOf(world).listWebhooks()).filter(({ url }) => url === session.callbackUrl)
  assert.equal((await registered()).length, 1)

  const number = newNumber()
  const id = await session.submit(number, 'Hello from SMPP!', true)
  await expectDelivered(world, id, number, 'Hello from SMPP!')
  assert.equal(await session.query(id), 2)
  const from = newNumber()
  await emulator.instruct('send-text', { from, to: 'modem0', text: 'An answer' })
  const path = new URL(session.callbackUrl)
  const callback = await eventually(
    () => callbacks.callbacks.find((one) => one.path === path.pathname + path.search && one.payload['sender'] === from),
    (found) => found !== undefined,
  )
  assert.equal(callback?.payload['message'], 'An answer')
  await session.unbind()
  await transmitter.unbind()
  assert.deepEqual(await registered(), [])
}

async function fallsBack(world: OriginWorld): Promise<void> {
  // The default time limit of a request is one second, which a busy machine may exceed.
  const client = OriginClient.withPassword(apiUrl(world), world.user, 60_000)
  const [to, body] = [newNumber(), 'Your code is 4711']
  const sid = `SM${crypto.randomUUID().replaceAll('-', '')}`
  const results = []
  for (const _ of [1, 2, 3]) results.push(await sendFallback(client, { sid, to, body }))
  assert.deepEqual(results, ['sent', 'sent', 'sent'])
  await expectDelivered(world, sid, to, body)
  const invalid = { sid: `SM${crypto.randomUUID().replaceAll('-', '')}`, to: 'whatsapp:+447400100001', body }
  assert.equal(await sendFallback(client, invalid), 'refused')
}

async function usesDashboard(world: OriginWorld): Promise<void> {
  const { callbacks, user } = world
  assert.equal(await WebDashboard.signIn(gatewayOf(world), { ...user, password: 'wrong' }), 401)
  const dashboard = await WebDashboard.signIn(gatewayOf(world), user)
  assert.ok(dashboard instanceof WebDashboard)
  await dashboard.openEvents()
  const number = newNumber()
  const { id } = await dashboard.client.send({ phoneNumbers: [number], textMessage: { text: 'From a browser' } })
  await expectDelivered(world, id, number, 'From a browser')
  const path = `/api/webhooks/callback/${user.username}`
  await eventually(
    () => callbacks.callbacks.filter((one) => one.path === path && one.payload['messageId'] === id),
    (all) => ['sms:sent', 'sms:delivered'].every((event) => all.some((one) => one.event === event)),
  )
  const counts = await dashboard.statistics()
  assert.ok(counts.sent >= 1 && counts.devices >= 1 && counts.online >= 1, JSON.stringify(counts))
  const days = (await dashboard.dayOf(Date.now())) + (await dashboard.dayOf(Date.now() - 86_400_000))
  assert.ok(days >= counts.sent, `${days} messages on two days, ${counts.sent} sent`)
  const shown = (await dashboard.messages()).find((message) => message.id === id)
  assert.equal(shown?.textMessage?.text, 'From a browser')
  await dashboard.closeEvents()
  const left = (await dashboard.client.listWebhooks()).filter(({ url }) => url.endsWith(path))
  assert.deepEqual([left, DASHBOARD_EVENTS.length], [[], 8])
}

/** The scopes in docs/integrations/sms-gate.md. */
async function usesKeys(world: OriginWorld): Promise<void> {
  const url = apiUrl(world)
  const withKey = async (...scopes: readonly string[]) => {
    const body = { name: 'a program of the origin', scopes }
    const { status, json } = await new ApiClient(world.url, world.user).ask('POST', '/keys', body)
    assert.equal(status, 201)
    return { username: 'any', password: json.key as string }
  }
  const send = await withKey('messages:send')
  assert.equal(await deliverMail(url, { phone: newNumber(), body: 'With a key', login: send }), 250)
  const fallback = OriginClient.withPassword(url, send, 60_000)
  const sid = `SM${crypto.randomUUID().replaceAll('-', '')}`
  assert.equal(await sendFallback(fallback, { sid, to: newNumber(), body: 'With a key' }), 'sent')

  const smpp = await withKey('devices:list', 'messages:send', 'messages:read', 'webhooks:write', 'webhooks:delete')
  const session = await OriginSmppSession.bind(gatewayOf(world), 'transceiver', smpp)
  assert.ok(session instanceof OriginSmppSession)
  assert.notEqual(await session.query(await session.submit(newNumber(), 'With a key', true)), undefined)
  await session.unbind()

  const scopes = ['webhooks:list', 'webhooks:write', 'webhooks:delete', 'logs:read']
  const shell = await withKey('messages:send', 'messages:read', ...scopes)
  const command = new SmsgateCommand(OriginClient.withPassword(url, shell))
  const id = crypto.randomUUID()
  const results = [
    await command.send([newNumber()], { textMessage: { text: 'With a key' } }, { body: { id } }),
    await command.status(id),
    await command.registerWebhook('sms:received', `${world.callbacks.url}/key`, 'with-a-key'),
    await command.listWebhooks(),
    await command.deleteWebhook('with-a-key'),
    await command.logs(aroundNow()),
  ]
  assert.deepEqual(
    results.map(({ status, output }) => [status, status === 0 ? '' : output]),
    Array(6).fill([0, '']),
  )
}

async function managesTokens(world: OriginWorld): Promise<void> {
  const dashboard = await WebDashboard.signIn(gatewayOf(world), world.user)
  assert.ok(dashboard instanceof WebDashboard)
  // The dashboard offers a list of scopes, and a lifetime of 0 means the longest lifetime.
  const scopes = ['messages:send', 'messages:list', 'devices:list', 'webhooks:write', 'settings:read', 'logs:read']
  const token = await dashboard.client.generateToken(scopes, 0)
  const program = OriginClient.withToken(apiUrl(world), token.access_token)
  assert.ok((await program.listDevices()).length >= 1)
  await dashboard.client.revokeToken(token.id)
  await assert.rejects(program.listDevices())
}

/** Uses a phone that can send MMS, and deletes the phone at the end. */
async function exchangesMms(world: OriginWorld): Promise<void> {
  const { callbacks, url, user } = world
  const { id: deviceId, token } = await Phone.register(url, user, 'Pixel', { capabilities: ['mms'] })
  const disk = new PhoneDisk()
  const phone = new Phone({ url, token, disk })
  const client = clientOf(world)
  try {
    const command = new SmsgateCommand(client)
    const [number, id] = [newNumber(), crypto.randomUUID()]
    const photo = { contentType: 'image/png', name: 'dot.png', data: PICTURE }
    const mmsMessage = { subject: 'Hello', text: 'Look!', attachments: [photo] }
    assert.equal((await command.send([number], { mmsMessage }, { body: { id } })).status, 0)
    const sent = await eventually(
      () => client.getState(id),
      ({ state }) => state === 'Sent',
    )
    assert.deepEqual(disk.mms.get(id), mmsMessage)
    assert.deepEqual(
      [sent.deviceId, sent.mmsMessage?.subject, sent.mmsMessage?.attachments?.[0]?.data],
      [deviceId, 'Hello', PICTURE],
    )
    // Without attachments, the command line sends an empty list.
    const short = { mmsMessage: { text: 'Only a text', attachments: [] } }
    assert.equal((await command.send([number], short, { body: { deviceId } })).status, 0)
    assert.equal((await command.send([number], { mmsMessage: { attachments: [] } })).status, 2)

    const dashboard = await WebDashboard.signIn(gatewayOf(world), user)
    assert.ok(dashboard instanceof WebDashboard)
    await dashboard.openEvents()
    const received = { id: 'mms-1', type: 'MMS_DOWNLOADED', sender: number, simNumber: 1, content: 'Me too' }
    const attachments = [{ partId: 7, contentType: 'image/png', name: 'cat.png', data: PICTURE }]
    const createdAt = new Date().toISOString()
    assert.equal(await phone.upload([{ ...received, isEncrypted: false, createdAt, attachments }]), 201)
    const arrived = await eventually(
      () =>
        callbacks.callbacks.filter(({ event, payload }) => event === 'mms:downloaded' && payload['sender'] === number),
      (found) => found.length > 0,
    )
    const [part] = (arrived[0]?.payload['attachments'] ?? []) as { readonly partId: number; readonly size: number }[]
    assert.deepEqual([part?.partId, part?.size], [7, Buffer.from(PICTURE, 'base64').length])
    await dashboard.closeEvents()
  } finally {
    phone.kill()
    await client.deleteDevice(deviceId)
  }
}

/** A PNG of one pixel. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='

interface OriginMail {
  /** The part of the recipient before the `@`. */
  readonly phone: string
  readonly body: string
  /** The credentials of SMTP AUTH, which the bridge passes on. */
  readonly login: OriginLogin
}

/**
 * Makes the requests that the published e-mail-to-SMS bridge makes when its SMTP server has received a mail. Returns
 * the code that the bridge answers over SMTP.
 */
async function deliverMail(
  url: string,
  { phone, body, login }: OriginMail,
  { skipsPhoneValidation = false } = {},
): Promise<number> {
  const text = body.trim()
  if (text === '') return 550
  try {
    await OriginClient.withPassword(url, login).send(
      { phoneNumbers: [phone], textMessage: { text } },
      skipsPhoneValidation ? { skipPhoneValidation: true } : {},
    )
    return 250
  } catch (error) {
    if (!(error instanceof OriginApiError) || error.status >= 500) return 550
    return [401, 403].includes(error.status) ? 535 : 450
  }
}
