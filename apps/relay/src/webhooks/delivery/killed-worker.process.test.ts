import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { callUrl } from '../../testing/call-url.ts'
import { startRelayProcess, type TestRelayProcess } from '../../testing/relay-process.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { enqueueEvents } from '../outbox/enqueue-events.ts'
import { receivedText } from '../testing/received-text.ts'
import { idsOf, testReceivers } from '../testing/test-receiver.ts'

const EVENTS = 200
const BASIC = `Basic ${btoa('sms:tea at half past four')}`
const shared = useTestDatabase()
const relays: TestRelayProcess[] = []
const receivers = testReceivers()
afterEach(async () => {
  for (const relay of relays.splice(0)) {
    relay.kill('SIGKILL')
    await relay.ended
  }
  await receivers.close()
})

const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 90_000, interval: 20 })

async function start(proxy: string): Promise<TestRelayProcess> {
  const relay = await startRelayProcess({
    DATABASE_URL: shared.url,
    SERVER_SECRET: 'bG9vayBiZWhpbmQgdGhlIHdhdGVyZmFsbCBhdCBub29u',
    ADMIN_USERNAME: 'sms',
    ADMIN_PASSWORD: 'tea at half past four',
    WEBHOOK_ALLOW_HTTP: '1',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: proxy,
    http_proxy: proxy,
  })
  relays.push(relay)
  return relay
}

test('every event arrives under a single id although the sending relay is killed', async () => {
  const proxied: string[] = []
  const proxy = createServer((socket) => socket.on('data', (data) => proxied.push(data.toString()))).listen(
    0,
    '127.0.0.1',
  )
  await new Promise((resolve) => proxy.once('listening', resolve))
  const { port } = proxy.address() as { port: number }

  const held: ServerResponse[] = []
  let isHolding = true
  const there = await receivers.start((response, _, number) => {
    if (isHolding && number > EVENTS / 4) held.push(response)
    else response.end()
  })
  const first = await start(`http://127.0.0.1:${port}`)
  const body = { id: 'w1', url: there.url, event: 'sms:received' }
  const registered = await callUrl('POST', `${first.url}/3rdparty/v1/webhooks`, { auth: BASIC, body })
  expect(registered.status).toBe(201)
  const { id: accountId } = await shared.database.account.findFirstOrThrow()
  const events = Array.from({ length: EVENTS }, (_, index) => receivedText(`m${index}`))
  await shared.database.$transaction((statements) => enqueueEvents(statements, accountId, events))

  await eventually(() => expect(held).toHaveLength(5))
  await start(`http://127.0.0.1:${port}`)
  first.kill('SIGKILL')
  isHolding = false
  await eventually(async () =>
    expect(await shared.database.webhookDelivery.count({ where: { state: 'delivered' } })).toBe(EVENTS),
  )
  const stored = await shared.database.webhookDelivery.findMany({ select: { id: true } })
  expect(new Set(idsOf(there))).toEqual(new Set(stored.map(({ id }) => id)))
  // The repeated events are events that were being sent, or whose answers were not recorded yet.
  expect(there.requests.length).toBeGreaterThanOrEqual(EVENTS + 5)
  expect(there.requests.length).toBeLessThan(EVENTS + EVENTS / 4)
  expect(proxied).toEqual([])
  proxy.close()
})
