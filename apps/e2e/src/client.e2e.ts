import { SmsGateway } from '@smsgw/client'
import { ConflictError, InvalidRequestError, NotFoundError } from '@smsgw/client/errors'
import type { LiveEvent } from '@smsgw/client/live-events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'
import { House } from './house/house.ts'
import { freePort } from './house/machine/free-port.ts'
import { HouseProcess } from './house/machine/process.ts'

const NUMBER = '+447400123456'

describe('the client against a gateway with a virtual modem', () => {
  let gateway: Gateway
  let sms: SmsGateway

  beforeAll(async () => {
    gateway = await Gateway.start()
    await gateway.untilReady()
    sms = new SmsGateway({ url: gateway.url, credentials: credentialsIn(gateway.folder) })
  })

  afterAll(() => gateway?.stop())

  test('sends a message, waits for its delivery, and finds it in the lists', async () => {
    const { id } = await sms.messages.send({ to: NUMBER, text: 'Hello from the client' })
    const { recipients } = await sms.messages.waitFor(id)
    expect(recipients).toMatchObject([{ phoneNumber: NUMBER, state: 'Delivered' }])
    expect((await sms.messages.timeline(id)).map(({ kind }) => kind)).toContain('delivered')
    const [entry] = (await sms.conversations.entries(NUMBER).page()).items
    expect(entry).toMatchObject({ direction: 'out', id, text: 'Hello from the client' })
  })

  test('a repeated call with the same key sends one message', async () => {
    const call = () => sms.messages.send({ to: NUMBER, text: 'Once' }, { idempotencyKey: 'order-4711' })
    const [one, other] = await Promise.all([call(), call()])
    expect(other.id).toBe(one.id)
  })

  test('a list yields every message once, over all pages', async () => {
    for (let index = 0; index < 5; index += 1) await sms.messages.send({ to: NUMBER, text: `Page ${index}` })
    const { total } = await sms.messages.list().page()
    const ids: string[] = []
    for await (const { id } of sms.messages.list({ limit: 2 })) ids.push(id)
    expect(new Set(ids).size).toBe(total)
    expect(ids).toHaveLength(total ?? 0)
  })

  test('errors of the gateway have their class and name the wrong member', async () => {
    const error = await sms.messages.send({ to: 'hello', text: 'x' }).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ errors: [{ path: 'phoneNumbers[0]' }], requestId: expect.any(String) })
    await expect(sms.messages.get('unknown')).rejects.toBeInstanceOf(NotFoundError)
    const { id } = await sms.messages.send({ to: NUMBER, text: 'Too late' })
    await sms.messages.waitFor(id)
    await expect(sms.messages.cancel(id)).rejects.toBeInstanceOf(ConflictError)
  })

  test('a received message arrives as a live event, also after the gateway closed the stream', async () => {
    const events: LiveEvent[] = []
    const stop = new AbortController()
    const opened = Promise.withResolvers<void>()
    const following = (async () => {
      const options = { kinds: ['inbox.received'], signal: stop.signal, onOpen: () => opened.resolve() } as const
      for await (const event of sms.events(options)) events.push(event)
    })()
    await opened.promise
    await receive('First')
    await eventually(
      () => events,
      (found) => found.length > 0,
    )
    stop.abort()
    await following
    const [first] = events
    await receive('While nobody listens')
    for await (const event of sms.events({ kinds: ['inbox.received'], lastEventId: first?.id })) {
      events.push(event)
      break
    }
    const ids = events.flatMap((event) => (event.kind === 'inbox.received' ? event.data.id : []))
    const items = await Promise.all(ids.map((id) => sms.inbox.get(id)))
    expect(items.map(({ text }) => text)).toEqual(['First', 'While nobody listens'])
  })

  test('a conversation can be archived and assigned', async () => {
    await sms.messages.send({ to: NUMBER, text: 'Archive this' })
    expect(await sms.conversations.change(NUMBER, { archived: true, assignee: 'Ada' })).toMatchObject({
      assignee: 'Ada',
    })
    expect(await sms.conversations.details(NUMBER)).toMatchObject({ assignee: 'Ada' })
  })

  test('devices and settings can be read and changed', async () => {
    const [device] = await sms.devices.list()
    expect(await sms.devices.change(device?.id ?? '', { name: 'Front desk' })).toMatchObject({ name: 'Front desk' })
    expect(await sms.devices.get(device?.id ?? '')).toMatchObject({ online: true, queue: {} })
    expect(await sms.changeSettings({ messages: { limit_period: 'PerDay', limit_value: 1000 } })).toMatchObject({
      messages: { limit_value: 1000 },
    })
  })

  describe('the examples of the documentation', () => {
    test('client-send.ts sends a message and reports wrong numbers', async () => {
      const sent = example('client-send.ts', [NUMBER, 'Hello'])
      expect([await sent.ended(), sent.lines]).toEqual([
        0,
        [expect.stringMatching(/^\+447400123456 (Sent|Delivered) $/)],
      ])
      const refused = example('client-send.ts', ['hello', 'Hello'])
      expect(await refused.ended()).toBe(1)
      expect(refused.complaints).toContain('phoneNumbers[0]')
    })

    test('client-follow.ts answers a received message', async () => {
      const follow = example('client-follow.ts')
      await follow.said((line) => (line === 'waiting for messages' ? line : undefined))
      await receive('Is anybody there?', '+447400100777')
      await follow.said((line) => (line === '+447400100777 Is anybody there?' ? line : undefined))
      await eventually(
        async () => (await sms.conversations.entries('+447400100777').page()).items,
        (entries) => entries.some((entry) => entry.direction === 'out' && entry.text === 'Thank you'),
      )
      await follow.kill()
    })

    test('client-receiver.ts receives a webhook', async () => {
      const port = await freePort()
      const webhook = await sms.webhooks.register({ url: `http://127.0.0.1:${port}/`, event: 'sms:received' })
      expect(await sms.webhooks.change(webhook.id, { name: 'Orders' })).toMatchObject({ name: 'Orders' })
      const receiver = example('client-receiver.ts', [], { WEBHOOK_SECRET: webhook.secret ?? '', PORT: String(port) })
      await eventually(
        () =>
          fetch(`http://127.0.0.1:${port}/`).then(
            ({ status }) => status,
            () => 0,
          ),
        (status) => status === 405,
      )
      await receive('To the webhook')
      await receiver.said((line) => (line.endsWith('sms:received To the webhook') ? line : undefined))
      const [delivery] = await eventually(
        async () => (await sms.webhooks.deliveries(webhook.id).page()).items,
        ([first]) => first?.state === 'delivered',
      )
      expect(delivery?.attempts).toMatchObject([{ status: 204 }])
      await receiver.kill()
      await sms.webhooks.remove(webhook.id)
    })
  })

  async function receive(text: string, from = '+447400100200'): Promise<void> {
    await sms.request({ method: 'POST', path: '/virtual-phone', body: { from, text } })
  }

  function example(name: string, args: readonly string[] = [], settings: Record<string, string> = {}): HouseProcess {
    const { password } = credentialsIn(gateway.folder)
    const environment = { SMSGW_URL: gateway.url, SMSGW_PASSWORD: password, ...settings }
    return new HouseProcess(name, `docs/examples/${name}`, args, environment)
  }
})

test('a pair of tokens is refreshed against a relay, and every stored pair works', async () => {
  const house = await House.start({ modems: [{ number: '+447700900001' }] })
  try {
    const account = new SmsGateway({ url: house.relayUrl, credentials: house.user })
    const pair = await account.issueToken({ scopes: ['messages:list', 'devices:list'] })
    const stored: { accessToken: string; refreshToken: string; expiresAt: string }[] = []
    const sms = new SmsGateway({
      url: house.relayUrl,
      credentials: { ...pair, expiresAt: new Date(0).toISOString(), onRefresh: (next) => void stored.push(next) },
    })
    await Promise.all([sms.devices.list(), sms.messages.list().page()])
    expect(stored).toHaveLength(1)
    const [next] = stored
    const other = new SmsGateway({ url: house.relayUrl, credentials: { accessToken: next?.accessToken ?? '' } })
    expect(await other.devices.list()).toHaveLength(1)
    await expect(sms.webhooks.list()).rejects.toMatchObject({ name: 'PermissionError', status: 403 })
  } finally {
    await house.stop()
  }
})
