import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from '../src/house/fleet.ts'
import type { Receiver } from '../src/house/peers/receiver.ts'
import type { ChaosFault } from './faults.ts'
import { everything, failing, untilRecovered } from './health.ts'
import type { ChaosLoad, Target } from './load.ts'

/** How long messages were delayed after the end of a fault. */
export interface Measurement {
  readonly fault: string
  /**
   * The longest time from the first request for a message until its last part was sent; infinite if a part was not
   * sent.
   */
  readonly sentMs: number
  /**
   * The longest time from giving a message to the network until its webhook arrived; infinite if a webhook did not
   * arrive.
   */
  readonly receivedMs: number
}

/**
 * Injects one fault after the other while every modem sends and receives messages. Each fault is injected when
 * everything has recovered from the previous fault. The messages of the first seconds after the end of a fault are
 * measured.
 */
export async function measureFaults(
  world: {
    readonly fleet: Fleet
    readonly load: ChaosLoad
    readonly receiver: Receiver
    readonly random: () => number
  },
  faults: readonly Pick<ChaosFault, 'name' | 'inject'>[],
  onMeasured: (measurement: Measurement) => void,
): Promise<void> {
  const { fleet, random } = world
  for (const { name, inject } of faults) {
    const left = await untilRecovered(() => failing(fleet), everything(fleet), recoveryLimitMs, sinceNow())
    if (left.length > 0) {
      const logs = [...fleet.relays, ...fleet.agents].flatMap(({ post }) => post.lastLines)
      throw new Error(`before ${name}: ${left.join(', ')} did not recover\n${logs.join('\n')}`)
    }
    await sleep(quietMs)
    await inject(fleet, random)
    onMeasured({ fault: name, ...(await delaysFrom(world, Date.now())) })
  }
}

/** The modems of the fleet as the API addresses them. */
export async function targetsOf({ relays, agents }: Fleet): Promise<readonly Target[]> {
  const answer = await relays[0]?.api.ask('GET', '/devices')
  const devices = (answer?.json ?? []) as {
    readonly id: string
    readonly simCards: readonly { readonly simNumber: number; readonly phoneNumber?: string }[]
  }[]
  const sims = devices.flatMap(({ id, simCards }) => simCards.map((sim) => ({ ...sim, deviceId: id })))
  return agents
    .flatMap(({ numbers }) => numbers)
    .map((number) => {
      const sim = sims.find(({ phoneNumber }) => phoneNumber === number)
      if (sim === undefined) throw new Error(`no device has the SIM ${number}`)
      return { deviceId: sim.deviceId, simNumber: sim.simNumber }
    })
}

async function delaysFrom(
  { fleet, load, receiver }: { readonly fleet: Fleet; readonly load: ChaosLoad; readonly receiver: Receiver },
  overAtMs: number,
): Promise<{ readonly sentMs: number; readonly receivedMs: number }> {
  const inWindow = ({ offeredAtMs }: { readonly offeredAtMs: number }) =>
    offeredAtMs >= overAtMs && offeredAtMs < overAtMs + windowMs
  await sleep(windowMs)
  const limitMs = Date.now() + recoveryLimitMs
  for (;;) {
    const isLate = Date.now() > limitMs
    const onAir = new Map(fleet.emulator.ledger().map(({ destination, time }) => [destination, Date.parse(time)]))
    const arrivals = receiver.arrivals('sms:received')
    const arrived = new Map(arrivals.map(({ request, atMs }) => [request.payload['message'], atMs]))
    const sent = load.offered.filter(inWindow).map((each) => (onAir.get(each.destination) ?? never) - each.offeredAtMs)
    const received = load.received.filter(inWindow).map((each) => (arrived.get(each.text) ?? never) - each.offeredAtMs)
    const delays = { sentMs: Math.max(...sent), receivedMs: Math.max(...received) }
    if (isLate || Object.values(delays).every(Number.isFinite)) return delays
    await sleep(250)
  }
}

function sinceNow(): () => number {
  const nowMs = performance.now()
  return () => nowMs
}

const never = Number.POSITIVE_INFINITY
/**
 * Messages are measured for this time after a fault, because a program detects only after some seconds that its clock
 * was set.
 */
const windowMs = 5_000
const quietMs = 1_500
const recoveryLimitMs = 180_000
