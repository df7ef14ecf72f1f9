import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchDatabase, withBenchDatabase } from '../bench-database.ts'
import { type BenchRelays, withBenchRelays } from '../bench-relays.ts'
import { print } from '../load/figures.ts'
import { AgentClients } from './agent-clients.ts'
import { DATABASE_CONNECTIONS } from './measure-accepts.ts'
import { cpuSeconds } from './watch-limits.ts'

interface AgentOptions {
  /** The numbers of agents to compare. */
  readonly agents: readonly number[]
  readonly relays: number
  /** How many agents connect at the same time. */
  readonly atOnce: number
  /** How long the agents are idle before the memory is read. */
  readonly idleSeconds: number
  /** The number of messages whose delivery to the agent is measured. */
  readonly messages: number
  readonly main: string | undefined
}

/** The number of messages on the way at the same time. */
const ON_THE_WAY = 4

/**
 * Connects agents to several relays, and measures the memory of a connection, and the time from an HTTP request until
 * the message reaches the agent. The baseline is a bare relay (`bare-relay.ts`) with as many WebSockets as one of the
 * relays.
 */
export async function measureAgents(options: AgentOptions): Promise<void> {
  const figures: AgentFigures[] = []
  for (const count of options.agents) figures.push(await measureOne(count, options))
  const { relays } = options
  print(
    `agents on ${relays} relays, memory of a connection`,
    'after s',
    'agent kB',
    'bare socket kB',
    'difference kB',
    'CPU idle',
  )
  for (const one of figures) {
    // The memory of a few connections cannot be measured, because a relay takes and returns more memory at any moment.
    const kB = (value: number) => (one.agents < SMALLEST_FOR_MEMORY ? '-' : value.toFixed(1))
    const above = kB(one.agentKb - one.socketKb)
    const cpu = `${(one.cpuShare * 100).toFixed(0)} %`
    print(`connected: ${one.agents}`, one.connectSeconds.toFixed(1), kB(one.agentKb), kB(one.socketKb), above, cpu)
  }
  print('from the POST to the agent, ms', 'p50', 'p99', 'baseline p50', 'baseline p99', 'growth of p99')
  for (const { agents, lagMs, baselineMs } of figures) {
    const growth = quantile(lagMs, 0.99) / quantile(figures[0]?.lagMs ?? lagMs, 0.99)
    const columns = [lagMs, baselineMs].flatMap((times) => [quantile(times, 0.5), quantile(times, 0.99)])
    print(`message to one of ${agents}`, ...columns.map((ms) => ms.toFixed(1)), growth.toFixed(2))
  }
}

const SMALLEST_FOR_MEMORY = 500

interface AgentFigures {
  readonly agents: number
  readonly connectSeconds: number
  readonly agentKb: number
  readonly socketKb: number
  /** CPU time of the relays, as a share of one core. */
  readonly cpuShare: number
  readonly lagMs: readonly number[]
  readonly baselineMs: readonly number[]
}

/** Starts new relays, because a process that had more connections keeps their memory. */
async function measureOne(agents: number, options: AgentOptions): Promise<AgentFigures> {
  const { relays: relayCount, main, idleSeconds, messages } = options
  let figures: AgentFigures | undefined
  const work = async (database: BenchDatabase, relays: BenchRelays) => {
    const clients = await AgentClients.create(agents, database, relays)
    const memory = () => relays.pids.reduce((sum, pid) => sum + memoryKb(pid), 0)
    const cpu = () => relays.pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0)
    // Waits, because a relay returns some of its memory after the start.
    await sleep(idleSeconds * 100)
    const before = memory()
    const startedMs = performance.now()
    await clients.connect(relays.urls, options.atOnce)
    const connectSeconds = (performance.now() - startedMs) / 1_000
    const cpuBefore = cpu()
    await sleep(idleSeconds * 1_000)
    const cpuShare = (cpu() - cpuBefore) / idleSeconds
    const agentKb = (memory() - before) / agents
    const lagMs = await measureLag(clients, relays, messages)
    const { socketKb, baselineMs } = await measureBaseline(clients, database, Math.ceil(agents / relayCount), options)
    await clients.stop()
    figures = { agents, connectSeconds, agentKb, socketKb, cpuShare, lagMs, baselineMs }
  }
  const settings = { DATABASE_CONNECTIONS: String(DATABASE_CONNECTIONS) }
  await withBenchDatabase((database) =>
    withBenchRelays(database, relayCount, (relays) => work(database, relays), { main, settings }),
  )
  if (figures === undefined) throw new Error('the relays have not started')
  return figures
}

/** Sends each message through one of the relays to a random agent, which may be connected to another relay. */
async function measureLag(
  clients: AgentClients,
  { urls, auth }: BenchRelays,
  messages: number,
): Promise<readonly number[]> {
  const headers = { authorization: auth, 'content-type': 'application/json' }
  return await eachOnItsWay(messages, async (turn) => {
    const deviceId = `bench-${Math.floor(Math.random() * clients.count)}`
    const body = JSON.stringify({ textMessage: { text: 'hello' }, phoneNumbers: ['+4915112345678'], deviceId })
    const sentNs = process.hrtime.bigint()
    const response = await fetch(`${urls[turn % urls.length]}/3rdparty/v1/messages`, { method: 'POST', headers, body })
    if (response.status !== 202) throw new Error(`a message was refused: ${await response.text()}`)
    const { id } = (await response.json()) as { id: string }
    return Number((await clients.arrival(id)) - sentNs) / 1e6
  })
}

async function measureBaseline(
  clients: AgentClients,
  { url: databaseUrl }: BenchDatabase,
  sockets: number,
  { idleSeconds, messages }: AgentOptions,
): Promise<{ readonly socketKb: number; readonly baselineMs: readonly number[] }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../load/bare-relay.ts')], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  try {
    await sleep(idleSeconds * 100)
    const before = memoryKb(child.pid as number)
    await clients.connectBare(url.replace('http', 'ws'), sockets)
    await sleep(idleSeconds * 1_000)
    const socketKb = (memoryKb(child.pid as number) - before) / sockets
    const baselineMs = await eachOnItsWay(messages, async () => {
      const id = randomUUID()
      const sentNs = process.hrtime.bigint()
      await fetch(url, { method: 'POST', body: id })
      return Number((await clients.arrival(id)) - sentNs) / 1e6
    })
    return { socketKb, baselineMs }
  } finally {
    child.kill()
    await ended
  }
}

/** Does the work this many times, a few at the same time. The first tenth is not measured. */
async function eachOnItsWay(times: number, work: (turn: number) => Promise<number>): Promise<readonly number[]> {
  const results: number[] = []
  const turns = Array.from({ length: times }, (_, turn) => turn).values()
  const worker = async () => {
    for (const turn of turns) {
      const result = await work(turn)
      if (turn >= times / 10) results.push(result)
    }
  }
  await Promise.all(Array.from({ length: ON_THE_WAY }, worker))
  return results
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function memoryKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}
