// Measures how a relay that stops hands its agents over to another relay:
//
//   node apps/relay/bench/bench-drain.ts [--agents 1000] [--drain 25] [--notice 5] [--main dist/relay/main.js]
//
// Two relays are separate processes. All agents are real sessions in this process, connected to the first relay, which
// then gets SIGTERM with DRAIN_SECONDS from `--drain`. The benchmark simulates a load balancer, which sends agents back
// to the first relay until it notices the drain, `--notice` seconds later. Meanwhile, the second relay accepts ten
// messages a second from a client in a process of its own. The baseline is a bare route, which gets as many messages.
// Linux only, because CPU time is read from `/proc`.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { newKeys, ScriptedAgent } from '../src/link/testing/scripted-agent.ts'
import { type BenchDatabase, withBenchDatabase } from './bench-database.ts'
import { type BenchRelays, withBenchRelays } from './bench-relays.ts'
import type { AcceptOrder, AcceptReport, AcceptTarget } from './fleet/accept-client.ts'
import { cpuSeconds, watchLimits } from './fleet/watch-limits.ts'
import { median, print } from './load/figures.ts'
import { startBareRoute } from './load/start-bare-route.ts'

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '1000' },
    drain: { type: 'string', default: '25' },
    notice: { type: 'string', default: '5' },
    // The entry point of another build.
    main: { type: 'string' },
  },
})
const agentCount = Number(values.agents)
const ACCEPT_EVERY_MS = 100
/** Disconnections are counted over this time. */
const SLOT_MS = 250
const CONNECT_AT_ONCE = 32

await withBenchDatabase((database) =>
  withBenchRelays(database, 2, (relays) => measure(database, relays), {
    main: values.main,
    settings: { DRAIN_SECONDS: values.drain },
  }),
)

async function measure(database: BenchDatabase, relays: BenchRelays): Promise<void> {
  const { pool } = database
  const leaving = relays.urls[0] as string
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
  const bare = await startBareRoute(database, relays, 2)
  try {
    await measureDrain(database, relays, agents, bare.url)
  } finally {
    for (const agent of agents) agent.stop()
    await bare.stop()
  }
}

async function measureDrain(
  { pool }: BenchDatabase,
  relays: BenchRelays,
  agents: readonly ScriptedAgent[],
  bareUrl: string,
): Promise<void> {
  const staying = relays.urls[1] as string
  const body = JSON.stringify({
    textMessage: { text: 'hello' },
    phoneNumbers: ['+4915112345678'],
    deviceId: relays.deviceId,
  })
  const targets = [`${staying}/3rdparty/v1/messages`, `${bareUrl}/messages`].map((url) => {
    return { url, auth: relays.auth, body }
  })
  printTimes('before', await acceptUntil(targets, sleep(5_000)))

  const stopWatching = await watchLimits(pool, relays.pids.slice(1))
  const cpuBefore = cpuSeconds(relays.pids[1] as number)
  process.kill(relays.pids[0] as number, 'SIGTERM')
  const startedMs = performance.now()
  const slots = countDisconnections(agents)
  const moved = moveAll(agents, staying)
  const during = await acceptUntil(targets, moved).catch(async (error: unknown) => {
    await stopWatching()
    throw error
  })
  const limits = await stopWatching()
  const cpu = cpuSeconds(relays.pids[1] as number) - cpuBefore
  const seconds = (await moved).map((atMs) => (atMs - startedMs) / 1_000).sort((one, other) => one - other)
  const share = (part: number) => `${seconds[Math.ceil(agentCount * part) - 1]?.toFixed(1)} s`
  print(`${agentCount} agents moved: half, 99 %, all`, share(0.5), share(0.99), share(1))
  print(`most agents that left within ${SLOT_MS} ms`, `${Math.max(...slots())}`)
  printTimes('meanwhile', during)
  print('CPU time of the second relay for each agent', `${((cpu * 1_000) / agentCount).toFixed(2)} ms`)
  print('limits', limits)
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

/** Sends messages to both targets at a constant rate until the work is done, and returns the times of the answers. */
async function acceptUntil(targets: readonly AcceptTarget[], work: Promise<unknown>): Promise<AcceptReport> {
  const client = fork(join(import.meta.dirname, 'fleet/accept-client.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const order = (what: AcceptOrder) => client.send(what)
  const failed = once(client, 'exit').then(([code]) => {
    throw new Error(`the process that sends messages ended with code ${code}`)
  })
  order({ kind: 'start', targets, everyMs: ACCEPT_EVERY_MS })
  await Promise.race([work, failed])
  const report = once(client, 'message')
  order({ kind: 'stop' })
  const [times] = (await Promise.race([report, failed])) as [AcceptReport]
  failed.catch(() => undefined)
  client.disconnect()
  return times
}

function printTimes(when: string, [relay = [], bare = []]: AcceptReport): void {
  print(`POST to 202 ${when}: p50, p99, longest`, ...quantiles(relay))
  print(`baseline: bare route ${when}`, ...quantiles(bare))
}

function quantiles(times: readonly number[]): string[] {
  const sorted = [...times].sort((one, other) => one - other)
  const p99 = sorted[Math.floor(times.length * 0.99)] ?? 0
  return [median(times), p99, sorted.at(-1) ?? 0].map((ms) => `${ms.toFixed(1)} ms`)
}
