import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiClient, eventually } from './house/api-client.ts'
import { type Fleet, startFleet } from './house/fleet.ts'
import { Receiver } from './house/peers/receiver.ts'

// Two relays on one PostgreSQL, and two agents that have three modems together. Each relay and agent is a separate
// process.
interface Device {
  readonly id: string
  readonly online: boolean
  readonly simCards: readonly { readonly simNumber: number; readonly state: string; readonly phoneNumber?: string }[]
}

const collapsed: string[] = []
let fleet: Fleet
let api: ApiClient
let other: ApiClient
let receiver: Receiver
/** `attic` has two modems, and `cellar` has one. */
let attic: Device
let cellar: Device

beforeAll(async () => {
  fleet = await startFleet((line) => collapsed.push(line))
  receiver = await Receiver.start()
  ;[api, other] = fleet.relays.map((relay) => relay.api) as [ApiClient, ApiClient]
  const all = await eventually(devices, allReady)
  attic = all.find(({ simCards }) => simCards.length === 2) as Device
  cellar = all.find(({ simCards }) => simCards.length === 1) as Device
  await api.ask('POST', '/webhooks', { url: receiver.url, event: 'sms:received' })
})

afterAll(async () => {
  await fleet?.stop()
  await receiver?.stop()
})

test('sends a message with the requested device and SIM, for each relay that accepts it', async () => {
  const wanted = [
    { device: attic, simNumber: 1 },
    { device: attic, simNumber: 2 },
    { device: cellar, simNumber: 1 },
  ]
  const sent = wanted.flatMap(({ device, simNumber }, at) =>
    [api, other].map((asked, relay) => ({ device, simNumber, asked, to: `+4474006${at}000${relay}` })),
  )
  await Promise.all(
    sent.map(async ({ device, simNumber, asked, to }) => {
      const id = await asked.send({
        phoneNumbers: [to],
        textMessage: { text: `by ${simNumber}` },
        deviceId: device.id,
        simNumber,
      })
      const message = await asked.until(id, ({ state }) => state === 'Delivered')
      expect(message.deviceId).toBe(device.id)
    }),
  )
  const modems = Map.groupBy(
    fleet.emulator.ledger().filter(({ destination }) => destination.startsWith('+4474006')),
    ({ destination }) => destination.slice(0, 9),
  )
  expect([...modems.values()].map((lines) => new Set(lines.map(({ modem }) => modem)).size)).toEqual([1, 1, 1])
  expect(new Set([...modems.values()].map(([line]) => line?.modem)).size).toBe(3)
})

test('reports a received message with its device, SIM number and phone number', async () => {
  const came = await Promise.all(
    ['modem0', 'modem1', 'modem2'].map(async (to) => {
      await fleet.emulator.instruct('send-text', { from: '+447400600100', to, text: `to ${to}` })
      return receiver.until(({ payload }) => payload['message'] === `to ${to}`)
    }),
  )
  const places = came.map(({ deviceId, payload }) => ({ deviceId, simNumber: payload['simNumber'] }))
  expect(places.map(({ deviceId }) => deviceId)).toEqual([attic.id, attic.id, cellar.id])
  expect(new Set(places.map((place) => JSON.stringify(place))).size).toBe(3)
  expect(came.map(({ payload }) => payload['recipient'])).toEqual(fleet.agents.flatMap(({ numbers }) => numbers))
})

test('while an agent is offline only its messages wait, and it sends each once when it has reconnected', async () => {
  let waiting: readonly string[] = []
  await fleet.agents[0]?.post.killWhile(async () => {
    waiting = await Promise.all(
      [1, 2].map((simNumber) =>
        api.send({
          phoneNumbers: [`+4474006500${simNumber}0`],
          textMessage: { text: 'later' },
          deviceId: attic.id,
          simNumber,
        }),
      ),
    )
    const now = { phoneNumbers: ['+447400651000'], textMessage: { text: 'now' }, deviceId: cellar.id }
    await api.until(await api.send(now), ({ state }) => state === 'Delivered')
    expect(await Promise.all(waiting.map(async (id) => (await api.message(id)).state))).toEqual(['Pending', 'Pending'])
  })
  expect(waiting).toHaveLength(2)
  for (const id of waiting) await api.until(id, ({ state }) => state === 'Delivered')
  expect(timesSent('+4474006500')).toBe(2)
})

test('when a relay is killed, its agents continue with the other relay and send each message once', async () => {
  const ids = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      api.send({ phoneNumbers: [`+44740066${10_00 + at}`], textMessage: { text: `moved ${at}` } }),
    ),
  )
  const isAway = fleet.relays[0]?.post.killFor(8_000)
  const later = await other.send({ phoneNumbers: ['+447400662000'], textMessage: { text: 'asked of the other' } })
  for (const id of [...ids, later]) await other.until(id, ({ state }) => state === 'Delivered')
  expect(timesSent('+44740066')).toBe(21)
  await isAway
  expect(collapsed).toEqual([])
})

function timesSent(numbersFrom: string): number {
  return fleet.emulator.ledger().filter(({ destination }) => destination.startsWith(numbersFrom)).length
}

async function devices(): Promise<readonly Device[]> {
  return ((await api.ask('GET', '/devices').catch(() => undefined))?.json ?? []) as readonly Device[]
}

function allReady(found: readonly Device[]): boolean {
  const sims = found.flatMap(({ simCards }) => simCards)
  return (
    found.length === 2 &&
    found.every(({ online }) => online) &&
    sims.length === 3 &&
    sims.every(({ state }) => state === 'ready')
  )
}
