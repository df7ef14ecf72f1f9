import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiClient, eventually, type MessageAnswer } from './house/api-client.ts'
import { type Fleet, startFleet } from './house/fleet.ts'
import { whyNoSetClock } from './house/set-clock.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
/** Of what takes a second when nothing holds it, and an hour when a clock does. */
const SOON_MS = 45_000
/** A program looks at the clock that is set once a second, and the relays at PostgreSQL's. */
const SEEN_MS = 3_000

const collapsed: string[] = []
let fleet: Fleet
let api: ApiClient
let other: ApiClient
let devices: readonly string[]

const given = describe.skipIf(whyNoSetClock !== undefined)

given(`clocks that are set${whyNoSetClock === undefined ? '' : ` (${whyNoSetClock})`}`, () => {
  beforeAll(async () => {
    fleet = await startFleet((line) => collapsed.push(line))
    ;[api, other] = fleet.relays.map((relay) => relay.api) as [ApiClient, ApiClient]
    devices = await eventually(readyDevices, (ids) => ids.length === 2)
  })

  afterAll(() => fleet?.stop())

  for (const name of ['relay 0', 'relay 1', 'agent 0', 'agent 1', 'PostgreSQL'])
    for (const seconds of [HOUR, -HOUR, DAY, -DAY])
      test(`${name}, by ${seconds} s and back: messages and tokens wait for neither`, async () => {
        const clock = fleet.clocks.get(name)
        clock?.set(seconds)
        await sleep(SEEN_MS)
        try {
          await sendByAll()
          await tokensWork()
        } finally {
          clock?.set(0)
        }
        await sleep(SEEN_MS)
        await sendByAll()
        await tokensWork()
      })

  test('a message accepted by a relay whose clock was ahead leaves after the clock is right again', async () => {
    const clock = fleet.clocks.get('relay 0')
    clock?.set(DAY)
    await sleep(SEEN_MS)
    // What the agents cannot be given yet is still there when the clock goes back.
    for (const { line } of fleet.agents) line.swallowsDown = true
    const ids = await Promise.all(devices.map((deviceId) => sendBy(api, deviceId)))
    clock?.set(0)
    for (const { line } of fleet.agents) line.swallowsDown = false
    for (const id of ids) await isSoonSent(other, id)
  })

  test('no process ended by itself', () => {
    expect(collapsed).toEqual([])
    expect([...fleet.relays, ...fleet.agents].flatMap(({ post }) => post.collapses)).toEqual([])
  })
})

async function readyDevices(): Promise<readonly string[]> {
  const { json } = await api.ask('GET', '/devices').catch(() => ({ json: [] }))
  const all = json as { id: string; online: boolean; simCards: { state: string }[] }[]
  const ready = all.filter(({ online, simCards }) => online && simCards.every(({ state }) => state === 'ready'))
  return ready.filter(({ simCards }) => simCards.length > 0).map(({ id }) => id)
}

let sent = 0

function sendBy(asked: ApiClient, deviceId: string): Promise<string> {
  sent += 1
  const phoneNumbers = [`+4474007${String(sent).padStart(5, '0')}`]
  return asked.send({ phoneNumbers, textMessage: { text: 'hello' }, ttl: 600, deviceId })
}

/** By each device, accepted by each relay. */
async function sendByAll(): Promise<void> {
  const asked = [api, other].flatMap((relay) => devices.map((deviceId) => ({ relay, deviceId })))
  await Promise.all(asked.map(async ({ relay, deviceId }) => isSoonSent(relay, await sendBy(relay, deviceId))))
}

async function isSoonSent(asked: ApiClient, id: string): Promise<void> {
  const message = await asked.until(id, ({ state }) => state === 'Sent' || state === 'Delivered', SOON_MS)
  expect(timesOf(message)).toEqual(timesOf(message).toSorted())
}

function timesOf({ states }: MessageAnswer): readonly string[] {
  return ['Pending', 'Processed', 'Sent', 'Delivered'].flatMap((state) => states[state] ?? [])
}

/** Of either relay at the other. */
async function tokensWork(): Promise<void> {
  for (const [maker, taker] of [fleet.relays, fleet.relays.toReversed()] as const) {
    if (maker === undefined || taker === undefined) continue
    const { status, json } = await maker.api.ask('POST', '/auth/token', { ttl: 600, scopes: ['messages:list'] })
    expect(status).toBe(201)
    const headers = { authorization: `Bearer ${json.access_token}` }
    expect((await fetch(`${taker.url}/3rdparty/v1/messages`, { headers })).status).toBe(200)
  }
}
