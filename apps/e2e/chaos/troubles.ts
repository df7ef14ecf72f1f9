import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from '../src/house/fleet.ts'
import { whyNoSetClock } from '../src/house/set-clock.ts'

/** What befalls the fleet. */
export interface Trouble {
  readonly name: string
  /** How often it is chosen, beside the others. */
  readonly weight: number
  /** When it is over and what it ended was started again: the names of what has to get well now. */
  readonly befall: (fleet: Fleet, chance: () => number) => Promise<readonly string[]>
}

export const troubles: readonly Trouble[] = [
  { name: 'relay killed', weight: 3, befall: relayKilled },
  { name: 'both relays killed', weight: 1, befall: bothRelaysKilled },
  { name: 'relay stopped for a while', weight: 2, befall: relayHalted },
  { name: 'agent killed', weight: 3, befall: agentKilled },
  { name: 'agent stopped for a while', weight: 2, befall: agentHalted },
  { name: 'link swallows', weight: 3, befall: linkSwallows },
  { name: 'PostgreSQL killed', weight: 1, befall: postgresKilled },
  { name: 'PostgreSQL restarted', weight: 1, befall: postgresRestarted },
  { name: 'modem unplugged', weight: 3, befall: modemUnplugged },
  { name: 'OK lost', weight: 2, befall: answerLost },
  { name: 'storage full', weight: 1, befall: storageFull },
  { name: 'log disk full', weight: 1, befall: logDiskFull },
  ...(whyNoSetClock === undefined ? [{ name: 'clock set', weight: 4, befall: clockSet }] : []),
]

async function relayKilled({ relays }: Fleet, chance: () => number): Promise<readonly string[]> {
  const { post } = one(relays, chance)
  await post.killFor(chance() * 2_000)
  return [post.name]
}

async function bothRelaysKilled({ relays }: Fleet, chance: () => number): Promise<readonly string[]> {
  await Promise.all(relays.map(({ post }) => post.killFor(chance() * 2_000)))
  return relays.map(({ post }) => post.name)
}

async function relayHalted({ relays }: Fleet, chance: () => number): Promise<readonly string[]> {
  const { post } = one(relays, chance)
  await post.haltFor(1_000 + chance() * 14_000)
  return [post.name]
}

async function agentKilled({ agents }: Fleet, chance: () => number): Promise<readonly string[]> {
  const { post, modems } = one(agents, chance)
  await post.killFor(chance() * 2_000)
  return [post.name, ...modems]
}

async function agentHalted({ agents }: Fleet, chance: () => number): Promise<readonly string[]> {
  const { post, modems } = one(agents, chance)
  await post.haltFor(1_000 + chance() * 14_000)
  return [post.name, ...modems]
}

async function linkSwallows({ agents }: Fleet, chance: () => number): Promise<readonly string[]> {
  const { line, post } = one(agents, chance)
  const way = chance()
  line.swallowsUp = way < 0.7
  line.swallowsDown = way > 0.3
  await sleep(500 + chance() * 14_000)
  line.swallowsUp = false
  line.swallowsDown = false
  return [post.name]
}

async function postgresKilled({ postgres, relays }: Fleet, chance: () => number): Promise<readonly string[]> {
  await postgres.killFor(chance() * 1_500)
  return relays.map(({ post }) => post.name)
}

async function postgresRestarted({ postgres, relays }: Fleet): Promise<readonly string[]> {
  await postgres.restart()
  return relays.map(({ post }) => post.name)
}

async function modemUnplugged({ agents, emulator }: Fleet, chance: () => number): Promise<readonly string[]> {
  const modem = one(one(agents, chance).modems, chance)
  const forMs = 1_000 + Math.floor(chance() * 7_000)
  await emulator.instruct('unplug', { modem, forMs })
  await sleep(forMs)
  return [modem]
}

/** The message is sent; the driver waits for its answer, and asks the modem again. */
async function answerLost({ agents, emulator }: Fleet, chance: () => number): Promise<readonly string[]> {
  const modem = one(one(agents, chance).modems, chance)
  const options = { all: chance() < 0.5, times: 1 }
  await emulator.instruct('set-fault', { modem, fault: 'submit-answer-lost', options })
  return [modem]
}

async function storageFull({ agents, emulator }: Fleet, chance: () => number): Promise<readonly string[]> {
  const modem = one(one(agents, chance).modems, chance)
  await emulator.instruct('set-fault', { modem, fault: 'storage-full', options: {} })
  await sleep(2_000 + chance() * 4_000)
  await emulator.instruct('clear-fault', { modem, fault: 'storage-full' })
  return [modem]
}

/** Whoever has something to say meanwhile goes on without having said it: the modems too are unplugged. */
async function logDiskFull(fleet: Fleet, chance: () => number): Promise<readonly string[]> {
  const { logDisk, relays, agents } = fleet
  if (logDisk === undefined) return []
  logDisk.fill()
  const [modem] = await Promise.all([modemUnplugged(fleet, chance), sleep(3_000 + chance() * 10_000)])
  logDisk.empty()
  return [...relays, ...agents].map(({ post }) => post.name).concat(modem)
}

/** Of a relay, an agent or PostgreSQL: an hour or a day, to either side, for a while. */
async function clockSet({ relays, agents, clocks }: Fleet, chance: () => number): Promise<readonly string[]> {
  const [name, clock] = one([...clocks], chance)
  clock.set(one([HOUR, -HOUR, 24 * HOUR, -24 * HOUR], chance))
  await sleep(1_000 + chance() * 9_000)
  clock.set(0)
  return name === 'PostgreSQL' ? [...relays, ...agents].map(({ post }) => post.name) : [name]
}

const HOUR = 3_600

function one<T>(each: readonly T[], chance: () => number): T {
  return each[Math.floor(chance() * each.length)] as T
}
