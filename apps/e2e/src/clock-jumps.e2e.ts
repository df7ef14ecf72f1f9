import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiClient, eventually, type MessageAnswer } from './house/api-client.ts'
import { type Fleet, startFleet } from './house/fleet.ts'
import { whyNoSetClock } from './house/machine/set-clock.ts'
import { patienceMs } from './house/patience.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
/** A changed clock may delay a message by no more than this. */
const LONGEST_DELAY_MS = 5_000
/**
 * The time within which a changed clock is detected. A program checks its clock once per second, and a relay also
 * checks the clock of PostgreSQL.
 */
const NOTICED_MS = 3_000

const collapsed: string[] = []
let fleet: Fleet
let api: ApiClient
let other: ApiClient
let devices: readonly string[]
/** The duration of three rounds of messages while no clock is wrong. The initial value allows for a busy machine. */
let usualMs: number = patienceMs

const given = describe.skipIf(whyNoSetClock !== undefined)
if (whyNoSetClock !== undefined) {
  if (process.env['CI'] === 'true') throw new Error(whyNoSetClock)
  process.stderr.write(`clock-jumps.e2e.ts skipped: ${whyNoSetClock}\n`)
}

given('clocks that are set', () => {
  beforeAll(async () => {
    fleet = await startFleet((line) => collapsed.push(line))
    ;[api, other] = fleet.relays.map((relay) => relay.api) as [ApiClient, ApiClient]
    devices = await eventually(readyDevices, (ids) => ids.length === 2)
    const beganMs = performance.now()
    for (let times = 0; times < 3; times += 1) await sendByAll()
    usualMs = performance.now() - beganMs
  })

  afterAll(() => fleet?.stop())

  for (const name of ['relay 0', 'relay 1', 'agent 0', 'agent 1', 'PostgreSQL'])
    for (const seconds of [HOUR, -HOUR, DAY, -DAY])
      test(`moving the clock of ${name} by ${seconds} s and back delays messages and tokens by at most five seconds`, async () => {
        const clock = fleet.clocks.get(name)
        clock?.set(seconds)
        await sleep(NOTICED_MS)
        try {
          await sendByAll()
          await tokensWork()
        } finally {
          clock?.set(0)
        }
        await sleep(NOTICED_MS)
        await sendByAll()
        await tokensWork()
      })

  test('a message accepted by a relay whose clock was ahead is sent after the clock was corrected', async () => {
    const clock = fleet.clocks.get('relay 0')
    clock?.set(DAY)
    await sleep(NOTICED_MS)
    // Cuts the links, so that the messages are still at the relay when the clock is set back.
    for (const { line } of fleet.agents) line.swallowsDown = true
    const ids = await Promise.all(devices.map((deviceId) => sendBy(api, deviceId)))
    clock?.set(0)
    for (const { line } of fleet.agents) line.swallowsDown = false
    for (const id of ids) await isSoonSent(other, id)
  })

  test('no process ended unexpectedly', () => {
    expect(collapsed).toEqual([])
    expect([...fleet.relays, ...fleet.agents].flatMap(({ post }) => post.crashes)).toEqual([])
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

/** Sends one message through each combination of relay and device. */
async function sendByAll(): Promise<void> {
  const asked = [api, other].flatMap((relay) => devices.map((deviceId) => ({ relay, deviceId })))
  await Promise.all(asked.map(async ({ relay, deviceId }) => isSoonSent(relay, await sendBy(relay, deviceId))))
}

async function isSoonSent(asked: ApiClient, id: string): Promise<void> {
  const limitMs = usualMs + LONGEST_DELAY_MS
  const message = await asked.until(id, ({ state }) => state === 'Sent' || state === 'Delivered', limitMs)
  expect(timesOf(message)).toEqual(timesOf(message).toSorted())
}

function timesOf({ states }: MessageAnswer): readonly string[] {
  return ['Pending', 'Processed', 'Sent', 'Delivered'].flatMap((state) => states[state] ?? [])
}

/** Checks that each relay accepts the tokens of the other relay. */
async function tokensWork(): Promise<void> {
  for (const [issuer, verifier] of [fleet.relays, fleet.relays.toReversed()] as const) {
    if (issuer === undefined || verifier === undefined) continue
    const { status, json } = await issuer.api.ask('POST', '/auth/token', { ttl: 600, scopes: ['messages:list'] })
    expect(status).toBe(201)
    const headers = { authorization: `Bearer ${json.access_token}` }
    const use = async () => (await fetch(`${verifier.url}/3rdparty/v1/messages`, { headers })).status
    await eventually(use, (answered) => answered === 200, LONGEST_DELAY_MS)
  }
}
