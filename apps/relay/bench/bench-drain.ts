// Measures how a relay that stops hands its agents over to another relay:
//
//   node apps/relay/bench/bench-drain.ts [--agents 1000] [--drain 25] [--notice 5]
//
// Two relays are separate processes. All agents are real sessions in this process, connected to the first relay, which
// then gets SIGTERM with DRAIN_SECONDS from `--drain`. The benchmark simulates a load balancer, which sends agents back
// to the first relay until it notices the drain, `--notice` seconds later. Meanwhile, the second relay accepts ten
// messages a second.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { newKeys, ScriptedAgent } from '../src/link/testing/scripted-agent.ts'
import { type BenchDatabase, withBenchDatabase } from './bench-database.ts'
import { type BenchRelays, withBenchRelays } from './bench-relays.ts'
import { median, print } from './load/figures.ts'

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '1000' },
    drain: { type: 'string', default: '25' },
    notice: { type: 'string', default: '5' },
  },
})
const agentCount = Number(values.agents)
const ACCEPT_EVERY_MS = 100
/** Disconnections are counted over this time. */
const SLOT_MS = 250
const CONNECT_AT_ONCE = 32

await withBenchDatabase((database) =>
  withBenchRelays(database, 2, (relays) => measure(database, relays), { settings: { DRAIN_SECONDS: values.drain } }),
)

async function measure({ pool }: BenchDatabase, relays: BenchRelays): Promise<void> {
  const [leaving, staying] = relays.urls as [string, string]
  const made = Array.from({ length: agentCount }, (_, number) => ({ id: `bench-${number}`, keys: newKeys(), number }))
  await pool.query(
    `INSERT INTO devices (id, account_id, name, public_key)
     SELECT id, $1, id, public_key FROM unnest($2::text[], $3::text[]) AS d (id, public_key)`,
    [relays.accountId, made.map(({ id }) => id), made.map(({ keys }) => keys.publicKey)],
  )
  const agents = made.map(({ id, keys, number }) => {
    const address = `10.0.${number >> 8}.${number & 255}`
    return new ScriptedAgent({ url: leaving, identity: { deviceId: id }, keys, address, chance: Math.random() })
  })
  const outside = agents.values()
  const connectOneByOne = async () => {
    for (const agent of outside) await agent.start().online()
  }
  await Promise.all(Array.from({ length: CONNECT_AT_ONCE }, connectOneByOne))
  const idle = await acceptUntil(staying, relays, sleep(5_000))
  print('POST to 202 before: p50, p99', ...quantiles(idle))

  process.kill(relays.pids[0] as number, 'SIGTERM')
  const startedMs = performance.now()
  const slots = countDisconnections(agents)
  const moved = moveAll(agents, staying)
  const during = await acceptUntil(staying, relays, moved)
  const seconds = (await moved).map((atMs) => (atMs - startedMs) / 1_000).sort((one, other) => one - other)
  const share = (part: number) => `${seconds[Math.ceil(agentCount * part) - 1]?.toFixed(1)} s`
  print(`${agentCount} agents moved: half, 99 %, all`, share(0.5), share(0.99), share(1))
  print(`most agents that left within ${SLOT_MS} ms`, `${Math.max(...slots())}`)
  print('POST to 202 meanwhile: p50, p99', ...quantiles(during))
  for (const agent of agents) agent.stop()
}

async function moveAll(agents: readonly ScriptedAgent[], staying: string): Promise<number[]> {
  await sleep(Number(values.notice) * 1_000)
  const before = agents.map(({ ended, phase }) => ({ ended: ended.length, isAway: phase !== 'online' }))
  for (const agent of agents) agent.url = staying
  const arrivals = agents.map(async (agent, index) => {
    const { ended = 0, isAway = true } = before[index] ?? {}
    // Counts only connections that end from now on. All agents that are connected at this moment are connected to the
    // first relay.
    await agent.until(() => agent.phase === 'online' && (isAway || agent.ended.length > ended))
    return performance.now()
  })
  return await Promise.all(arrivals)
}

/**
 * Counts the connections that end in each slot of time. Returns a function that stops the count and returns the
 * results.
 */
function countDisconnections(agents: readonly ScriptedAgent[]): () => readonly number[] {
  const total = () => agents.reduce((sum, { ended }) => sum + ended.length, 0)
  const counts: number[] = []
  let before = total()
  const timer = setInterval(() => {
    const now = total()
    counts.push(now - before)
    before = now
  }, SLOT_MS)
  return () => {
    clearInterval(timer)
    return counts
  }
}

/** Sends messages at a constant rate until the work is done, and returns the time of each answer. */
async function acceptUntil(url: string, { auth, deviceId }: BenchRelays, work: Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  const requests: Promise<void>[] = []
  const body = JSON.stringify({ textMessage: { text: 'hello' }, phoneNumbers: ['+4915112345678'], deviceId })
  const send = async () => {
    const startedMs = performance.now()
    const headers = { authorization: auth, 'content-type': 'application/json' }
    const response = await fetch(`${url}/3rdparty/v1/messages`, { method: 'POST', headers, body })
    if (response.status !== 202) throw new Error(`a message was refused: ${await response.text()}`)
    await response.text()
    times.push(performance.now() - startedMs)
  }
  const timer = setInterval(() => requests.push(send()), ACCEPT_EVERY_MS)
  await work
  clearInterval(timer)
  await Promise.all(requests)
  return times
}

function quantiles(times: readonly number[]): [string, string] {
  const p99 = [...times].sort((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0
  return [`${median(times).toFixed(1)} ms`, `${p99.toFixed(1)} ms`]
}
