import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet, FleetParts } from '../src/house/fleet.ts'
import { whyNoSetClock } from '../src/house/machine/set-clock.ts'
import { database } from './health.ts'

/** A fault of one part of the fleet. */
export interface ChaosFault<World = Fleet> {
  readonly name: string
  /** The probability, relative to the other faults. */
  readonly weight: number
  /**
   * Injects the fault. Resolves when the fault is over and killed processes have been restarted. The result is the
   * names of the parts that must recover; none if the fault is not possible at the moment.
   */
  readonly inject: (world: World, random: () => number) => Promise<readonly string[]>
}

/** The faults that can be injected on this machine, and the names of the others. */
export function faultsOf({ logDisk }: Fleet): {
  readonly faults: readonly ChaosFault[]
  readonly skipped: readonly string[]
} {
  const impossible = [
    ...(logDisk === undefined ? [logDiskFull] : []),
    ...(whyNoSetClock === undefined ? [] : [clockSet]),
  ]
  const [faults, skipped] = [false, true].map((isLeftOut) =>
    allFaults.filter(({ inject }) => impossible.includes(inject) === isLeftOut),
  ) as [ChaosFault[], ChaosFault[]]
  return { faults, skipped: skipped.map(({ name }) => name) }
}

/** The same faults as separate cases, which are injected one after the other. No case contains a second fault. */
export function singleFaultsOf(fleet: Fleet): readonly Pick<ChaosFault, 'name' | 'inject'>[] {
  const { faults } = faultsOf(fleet)
  const combined = [logDiskFull, clockSet]
  return [
    ...faults.filter(({ inject }) => !combined.includes(inject)),
    ...faults.filter(({ inject }) => inject === logDiskFull).map(({ name }) => ({ name, inject: onlyLogDiskFull })),
    ...faults.filter(({ inject }) => inject === clockSet).flatMap(() => clockCases),
  ]
}

/** Faults of relays, agents and modems, which need nothing else of the fleet. */
export const faultsOfParts: readonly ChaosFault<FleetParts>[] = [
  { name: 'relay killed', weight: 3, inject: relayKilled },
  { name: 'relay stopped for a while', weight: 2, inject: relayHalted },
  { name: 'agent killed', weight: 3, inject: agentKilled },
  { name: 'agent stopped for a while', weight: 2, inject: agentHalted },
  { name: 'link drops data', weight: 3, inject: linkDropsData },
  { name: 'modem unplugged', weight: 3, inject: modemUnplugged },
  { name: 'OK lost', weight: 2, inject: answerLost },
  { name: 'storage full', weight: 1, inject: storageFull },
]

const allFaults: readonly ChaosFault[] = [
  ...faultsOfParts,
  { name: 'both relays killed', weight: 1, inject: bothRelaysKilled },
  { name: 'PostgreSQL killed', weight: 1, inject: postgresKilled },
  { name: 'PostgreSQL restarted', weight: 1, inject: postgresRestarted },
  { name: 'log disk full', weight: 1, inject: logDiskFull },
  { name: 'clock set', weight: 4, inject: clockSet },
]

async function relayKilled({ relays }: FleetParts, random: () => number): Promise<readonly string[]> {
  const { post } = one(relays, random)
  await post.killFor(random() * 2_000)
  return [post.name]
}

async function bothRelaysKilled({ relays }: Fleet, random: () => number): Promise<readonly string[]> {
  await Promise.all(relays.map(({ post }) => post.killFor(random() * 2_000)))
  return relays.map(({ post }) => post.name)
}

async function relayHalted({ relays }: FleetParts, random: () => number): Promise<readonly string[]> {
  const { post } = one(relays, random)
  await post.haltFor(1_000 + random() * 14_000)
  return [post.name]
}

async function agentKilled({ agents }: FleetParts, random: () => number): Promise<readonly string[]> {
  const { post, modems } = one(agents, random)
  await post.killFor(random() * 2_000)
  return [post.name, ...modems]
}

async function agentHalted({ agents }: FleetParts, random: () => number): Promise<readonly string[]> {
  const { post, modems } = one(agents, random)
  await post.haltFor(1_000 + random() * 14_000)
  return [post.name, ...modems]
}

async function linkDropsData({ agents }: FleetParts, random: () => number): Promise<readonly string[]> {
  const { line, post } = one(agents, random)
  const way = random()
  line.swallowsUp = way < 0.7
  line.swallowsDown = way > 0.3
  await sleep(500 + random() * 14_000)
  line.swallowsUp = false
  line.swallowsDown = false
  return [post.name]
}

async function postgresKilled({ postgres, relays }: Fleet, random: () => number): Promise<readonly string[]> {
  await postgres.killFor(random() * 1_500)
  return [database, ...relays.map(({ post }) => post.name)]
}

async function postgresRestarted({ postgres, relays }: Fleet): Promise<readonly string[]> {
  await postgres.restart()
  return [database, ...relays.map(({ post }) => post.name)]
}

async function modemUnplugged({ agents, emulator }: FleetParts, random: () => number): Promise<readonly string[]> {
  const modem = one(one(agents, random).modems, random)
  const forMs = 1_000 + Math.floor(random() * 7_000)
  await emulator.instruct('unplug', { modem, forMs })
  await sleep(forMs)
  return [modem]
}

/** The message is sent, but the modem's answer is lost, so the driver asks the modem again. */
async function answerLost({ agents, emulator }: FleetParts, random: () => number): Promise<readonly string[]> {
  const modem = one(one(agents, random).modems, random)
  const options = { all: random() < 0.5, times: 1 }
  await emulator.instruct('set-fault', { modem, fault: 'submit-answer-lost', options })
  return [modem]
}

async function storageFull({ agents, emulator }: FleetParts, random: () => number): Promise<readonly string[]> {
  const modem = one(one(agents, random).modems, random)
  await emulator.instruct('set-fault', { modem, fault: 'storage-full', options: {} })
  await sleep(2_000 + random() * 4_000)
  await emulator.instruct('clear-fault', { modem, fault: 'storage-full' })
  return [modem]
}

/**
 * Fills the disk of the logs. Processes must continue without a log. Meanwhile a modem is unplugged, so that the
 * processes have something to log.
 */
async function logDiskFull(fleet: Fleet, random: () => number): Promise<readonly string[]> {
  const { logDisk, relays, agents } = fleet
  if (logDisk === undefined) throw new Error('no small disk is mounted')
  logDisk.fill()
  const [modem] = await Promise.all([modemUnplugged(fleet, random), sleep(3_000 + random() * 10_000)])
  logDisk.empty()
  return [...relays, ...agents].map(({ post }) => post.name).concat(modem)
}

/** Fills only the disk of the logs. Meanwhile the link is cut, so that relay and agent have something to log. */
async function onlyLogDiskFull({ logDisk, relays, agents }: Fleet, random: () => number): Promise<readonly string[]> {
  if (logDisk === undefined) throw new Error('no small disk is mounted')
  logDisk.fill()
  for (const { line } of agents) line.cut()
  await sleep(3_000 + random() * 10_000)
  logDisk.empty()
  return [...relays, ...agents].map(({ post }) => post.name)
}

/** Sets the clock of a relay, an agent or PostgreSQL an hour or a day forward or back for a while. */
async function clockSet({ relays, agents, clocks }: Fleet, random: () => number): Promise<readonly string[]> {
  const [name, clock] = one([...clocks], random)
  clock.set(one([HOUR, -HOUR, 24 * HOUR, -24 * HOUR], random))
  await sleep(1_000 + random() * 9_000)
  clock.set(0)
  return name === database ? [name, ...[...relays, ...agents].map(({ post }) => post.name)] : [name]
}

const HOUR = 3_600

const clocksToSet = { 'relay 0': 'clock of a relay', 'agent 0': 'clock of an agent', PostgreSQL: 'clock of PostgreSQL' }
const jumps = { 'an hour': HOUR, 'a day': 24 * HOUR }

/** Sets each clock ahead and corrects it, then sets it behind and corrects it again. */
const clockCases = Object.entries(clocksToSet).flatMap(([clock, title]) =>
  Object.entries(jumps).flatMap(([by, seconds]) =>
    [seconds, 0, -seconds, 0].map((ahead) => ({
      name: `${title} moved by ${by}`,
      inject: async ({ clocks }: Fleet) => {
        clocks.get(clock)?.set(ahead)
        return [clock]
      },
    })),
  ),
)

function one<T>(each: readonly T[], random: () => number): T {
  return each[Math.floor(random() * each.length)] as T
}
