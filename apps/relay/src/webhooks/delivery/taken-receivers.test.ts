import type { ServerResponse } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import { recordEvents } from '../../ingest/record-events.ts'
import { storeSoleReceived } from '../../ingest/store-sole-received-statement.ts'
import type { AgentConnection } from '../../link/claim/agent-connection.ts'
import { openConnection } from '../../link/claim/open-connection.ts'
import { deliveryWorld, untilPasses } from '../testing/delivery-world.ts'
import { idsOf } from '../testing/test-receiver.ts'
import type { DeliveryWorker } from './delivery-worker.ts'

const world = deliveryWorld()
const { receivers } = world
const now = new Date('2026-03-01T12:00:00.000Z')

let connections: AgentConnection[]
let events: number[]

/** Connects two devices. */
beforeEach(async () => {
  connections = []
  events = [0, 0]
  for (const deviceId of ['d0', 'd1']) {
    await world.database.device.create({ data: { id: deviceId, accountId: 'a1', name: deviceId, publicKey: deviceId } })
    const agent = { accountId: 'a1', deviceId, journalId: 'journal', bootId: 'boot', agentVersion: '1.0.0', sims: [] }
    const options = { relayId: 'relay', leaseMs: 60_000, now }
    const opened = await openConnection(world.database, { ...agent, capabilities: [] }, options)
    if (opened !== undefined) connections.push(opened.connection)
  }
})

/** The next event of a device. */
function received(device: number, id: string) {
  events[device] = (events[device] ?? 0) + 1
  const connection = connections[device]
  const seq = events[device]
  if (connection === undefined || seq === undefined) throw new Error(`there is no device ${device}`)
  const facts = { receivedAt: now.toISOString(), sender: '+1', simNumber: 1, parts: 1 }
  const event = { kind: 'received', type: 'SMS', id, text: `text of ${id}`, ...facts } as const
  return { connection, seq, tag: 't', event }
}

/** Stores a message as a relay with this worker does. */
async function store(worker: DeliveryWorker, device: number, id: string): Promise<void> {
  const { connection, seq, tag, event } = received(device, id)
  const batch = { connection, from: seq, skipped: 0, tag, events: [{ event }] }
  const [recorded] = await recordEvents(world.database, [batch], now, { worker })
  if (recorded?.status !== 'fulfilled') throw recorded?.reason
  if (recorded.value.enqueued > 0) worker.wake()
}

/** Stores a message whose receiver is taken for this worker, which is not told yet. */
async function taken(worker: DeliveryWorker, id: string, { leaseSeconds = 30, busy = [] as readonly bigint[] } = {}) {
  const number = worker.number ?? 0
  const free = { worker: number, leaseSeconds, busy, limit: 1 }
  const stored = await storeSoleReceived(world.database, received(0, id), now, free)
  const receivers = stored?.taken ?? []
  expect(receivers).toHaveLength(1)
  return (by = worker, takenAtMs = performance.now()) => by.serve(receivers, number, takenAtMs)
}

const present = (worker: DeliveryWorker) => untilPasses(() => expect(worker.number).toBeDefined())
const idOf = (messageId: string) => world.idOf('w1', messageId)

/** Starts a receiver that answers only after `open` is called. */
async function holdingReceiver() {
  const held: ServerResponse[] = []
  let isOpen = false
  const there = await receivers.start((response) => {
    if (isOpen) response.end()
    else held.push(response)
  })
  return {
    there,
    open() {
      isOpen = true
      for (const response of held.splice(0)) response.end()
    },
  }
}

test('a message is sent by the worker of the relay that stores it, with the body of later attempts', async () => {
  let failures = 1
  const there = await receivers.start((response) => {
    response.statusCode = failures-- > 0 ? 500 : 200
    response.end()
  })
  await world.webhook('w1', there.url)
  const worker = world.worker()
  await present(worker)
  await store(worker, 0, 'm1')
  await untilPasses(() => expect(there.requests).toHaveLength(1))
  await world.settled()
  await world.pass(60)
  await untilPasses(() => expect(there.requests).toHaveLength(2))
  const [first, second] = there.requests
  expect(JSON.parse(first?.body ?? '')).toMatchObject({ id: idOf('m1'), payload: { message: 'text of m1' } })
  expect(second?.body).toBe(first?.body)
  await world.settled()
  expect(await world.deliveries()).toMatchObject([{ state: 'delivered', attempts: 2 }])
})

test('two relays share receivers: each event is sent once, and no receiver has more than five requests at a time', async () => {
  const slowly = (response: ServerResponse) => void setTimeout(() => response.end(), 2)
  const all = [await receivers.start(slowly), await receivers.start(slowly)]
  for (const [index, { url }] of all.entries()) await world.webhook(`w${index}`, url)
  const workers = [world.worker(), world.worker()]
  await Promise.all(workers.map(present))
  await Promise.all(
    workers.map(async (worker, device) => {
      for (let at = 0; at < 60; at += 1) await store(worker, device, `m${device}-${at}`)
    }),
  )
  await untilPasses(async () =>
    expect(await world.database.webhookDelivery.count({ where: { state: 'delivered' } })).toBe(240),
  )
  for (const there of all) {
    expect(new Set(idsOf(there)).size).toBe(120)
    expect(idsOf(there)).toHaveLength(120)
    expect(there.mostAtOnce).toBeLessThanOrEqual(5)
  }
})

test('messages for a receiver that waits for its answer are sent by the same worker', async () => {
  const { there, open } = await holdingReceiver()
  await world.webhook('w1', there.url)
  const workers = [world.worker(), world.worker()]
  await Promise.all(workers.map(present))
  const [one, other] = workers as [DeliveryWorker, DeliveryWorker]
  await store(one, 0, 'm1')
  await untilPasses(() => expect(there.requests).toHaveLength(1))
  await store(other, 1, 'm2')
  await store(one, 0, 'm3')
  await untilPasses(() => expect(there.requests).toHaveLength(3))
  expect(await world.webhooks()).toMatchObject([{ servedBy: one.number }])
  expect(idsOf(there)).toEqual(['m1', 'm2', 'm3'].map(idOf))
  open()
  await world.settled()
})

test('a receiver that is taken while its previous lane has not ended is served by that lane or after it', async () => {
  const { there, open } = await holdingReceiver()
  await world.webhook('w1', there.url)
  const worker = world.worker()
  await present(worker)
  await store(worker, 0, 'm1')
  await untilPasses(() => expect(there.requests).toHaveLength(1))
  // As if the database had the result and had released the receiver, and the worker did not know it yet.
  await world.database.webhookDelivery.updateMany({ data: { state: 'delivered', finishedAt: now } })
  await world.database.webhook.updateMany({ data: { servedBy: null, servedUntil: null } })
  const serve = await taken(worker, 'm2', { leaseSeconds: 3_600 })
  serve()
  open()
  await untilPasses(() => expect(idsOf(there)).toEqual(['m1', 'm2'].map(idOf)))
  await world.settled()
})

test('a receiver that was taken for a worker that has stopped, or has another number now, is served by another worker', async () => {
  const there = await receivers.start()
  await world.webhook('w1', there.url)
  const worker = world.worker()
  await present(worker)
  const serve = await taken(worker, 'm1')
  await worker.stop()
  expect(worker.free()).toBeUndefined()
  serve()
  const other = world.worker()
  await untilPasses(() => expect(idsOf(there)).toEqual([idOf('m1')]))
  await world.settled()
  serve(other)
  await world.settled()
  expect(idsOf(there)).toEqual([idOf('m1')])
})

test('a receiver that was taken for a worker that is stopping does not wait for the requests of other receivers', async () => {
  const { there: slow, open } = await holdingReceiver()
  const there = await receivers.start()
  await world.webhook('w0', slow.url)
  const worker = world.worker()
  await present(worker)
  await store(worker, 0, 'm1')
  await untilPasses(() => expect(slow.requests).toHaveLength(1))
  await world.webhook('w1', there.url)
  const serve = await taken(worker, 'm2', { leaseSeconds: 3_600, busy: worker.free()?.busy ?? [] })
  let isStopped = false
  const stopped = worker.stop().then(() => {
    isStopped = true
  })
  serve()
  world.worker()
  await untilPasses(() => expect(idsOf(there)).toEqual([idOf('m2')]))
  expect(isStopped).toBe(false)
  open()
  await stopped
  await world.settled()
})

test('the age of an event includes the time that the database needed to store it', async () => {
  const there = await receivers.start()
  await world.webhook('w1', there.url)
  const worker = world.worker()
  await present(worker)
  const serve = await taken(worker, 'm1')
  serve(worker, performance.now() - 1_500)
  await world.settled()
  expect(world.ages).toEqual([expect.any(Number)])
  expect(world.ages[0]).toBeGreaterThanOrEqual(1.5)
})

test('takes no receiver while the worker serves as many receivers as it can', async () => {
  const { there, open } = await holdingReceiver()
  await world.webhook('w1', there.url)
  const worker = world.worker({ mostReceivers: 1 })
  await present(worker)
  expect(worker.free()).toMatchObject({ worker: worker.number, busy: [], limit: 1 })
  await store(worker, 0, 'm1')
  await untilPasses(() => expect(there.requests).toHaveLength(1))
  expect(worker.free()).toBeUndefined()
  open()
  await world.settled()
})
