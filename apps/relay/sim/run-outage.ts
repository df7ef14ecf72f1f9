import type { ScheduleReport } from '@smsgw/simulation/simulation'
import { costs } from './costs.ts'
import type { Outage } from './outage.ts'
import { Region } from './region.ts'

export interface OutageReport extends ScheduleReport {
  readonly schedule: Outage
  readonly trace: readonly string[]
}

/** The longest pause between two attempts of an agent, which it reaches in a long outage. */
const LONGEST_PAUSE_MS = 60_000
/** The longest recovery, as a multiple of {@link idealRecoveryMs}. */
const MOST_TIMES_IDEAL = 3
/** The event loop of a relay must not be busy for this long, because connected agents would time out. */
const LONGEST_LOOP_WAIT_MS = 10_000
/** The longest time in which connections wait and no agent comes online, as a multiple of {@link idealRecoveryMs}. */
const MOST_STANDSTILL = 2.5
const SHORT_STANDSTILL_MS = 10_000
/**
 * The longest wait of an admission for its database, as a multiple of {@link idealRecoveryMs}. The messages of
 * connected agents wait in the same queue.
 */
const MOST_DATABASE_WAIT = 0.06
/**
 * At most this share of the agents may connect in the same second. The limit does not apply to an outage of the kind
 * `silent`, in which agents get no answers.
 */
const MOST_ARRIVALS = 0.6
const TRACE_MS = 5_000

/**
 * Runs an outage on a virtual clock, until all agents are online again. Recovery must take little longer than the
 * pauses of the agents and the shortest possible time, {@link idealRecoveryMs}. It would take much longer, or never
 * end, if agents gave up and repeated most of their connections.
 */
export async function runOutage(outage: Outage): Promise<OutageReport> {
  const region = new Region(outage)
  const { time } = region
  const trace: string[] = []
  const shares = [0.5, 0.9, 0.99, 1].map((share) => ({ share, afterMs: undefined as number | undefined }))
  const idealMs = idealRecoveryMs(outage)
  const limitMs = outage.startMs + LONGEST_PAUSE_MS + MOST_TIMES_IDEAL * idealMs
  region.begin()
  let tracedMs = 0
  let [arrivedMs, standstillMs, online] = [0, 0, 0]
  while (region.online < outage.agents && time.nowMs < outage.forMs + limitMs && time.next()) {
    // Promises of the queue of admissions settle before the next timer.
    if (region.isAdmitting) await new Promise<void>((resolve) => process.nextTick(resolve))
    if (region.online > online && time.nowMs > outage.forMs)
      for (const one of shares)
        if (region.online >= one.share * outage.agents) one.afterMs ??= time.nowMs - outage.forMs
    if (region.online > online || !region.isWaiting || !region.isReady) arrivedMs = time.nowMs
    online = region.online
    standstillMs = Math.max(standstillMs, time.nowMs - arrivedMs)
    if (time.nowMs - tracedMs < TRACE_MS) continue
    tracedMs = time.nowMs
    trace.push(region.describe())
  }
  trace.push(region.describe())
  const times = shares.map(({ share, afterMs }) => `${share * 100} % after ${seconds(afterMs)}`)
  const { figures } = region
  const longestLoopMs = Math.max(...region.relays.map(({ loop }) => loop.longestWaitMs))
  trace.push(
    `agents online: ${times.join(', ')}; shortest possible time for all agents: ${seconds(idealMs)}`,
    `connections for each agent: ${(figures.connections / outage.agents).toFixed(1)}; lost ${figures.lost}, refused with 429 ${figures.limited}, dropped admissions ${figures.dropped}`,
    `most connections at the balancer: ${figures.mostWaiting}; most arrivals in a second: ${figures.mostArrivals}`,
    `most waiting for admission: ${figures.mostAdmitting}; most claims in a second: ${figures.mostClaims}; longest wait for a database: ${region.longestDatabaseWaitMs.toFixed(0)} ms`,
    `longest queue of admissions at a relay: ${figures.longestQueue}; longest wait in an event loop: ${longestLoopMs.toFixed(0)} ms; longest standstill: ${seconds(standstillMs)}`,
  )
  const problems: string[] = []
  if (region.online < outage.agents)
    problems.push(`${outage.agents - region.online} of ${outage.agents} agents are offline ${seconds(limitMs)} later`)
  if (standstillMs > Math.max(SHORT_STANDSTILL_MS, MOST_STANDSTILL * idealMs))
    problems.push(`no agent came online for ${seconds(standstillMs)}, although connections waited`)
  if (region.longestDatabaseWaitMs > MOST_DATABASE_WAIT * idealMs)
    problems.push(`an admission waited for the database for ${seconds(region.longestDatabaseWaitMs)}`)
  if (outage.kind !== 'silent' && figures.mostArrivals > MOST_ARRIVALS * outage.agents)
    problems.push(`${figures.mostArrivals} of ${outage.agents} agents connected in the same second`)
  if (longestLoopMs > LONGEST_LOOP_WAIT_MS)
    problems.push(`the event loop of a relay was busy for ${seconds(longestLoopMs)}`)
  const seen = {
    [`outage: ${outage.kind}`]: 1,
    'agents back online': region.online,
    'connections after outages': figures.connections,
    'connections lost': figures.lost,
    'connections limited': figures.limited,
    'admissions dropped': figures.dropped,
  }
  return { schedule: outage, trace, problems, seen, virtualMs: time.nowMs }
}

/**
 * Returns the shortest possible time in which all agents come online: each agent connects once, and the load balancer,
 * the databases or the relays, whichever take longest, are always busy.
 */
function idealRecoveryMs({ agents, relays, balancerCores, databaseCores }: Outage): number {
  const sum = (times: readonly number[]) => times.reduce((total, ms) => total + ms, 0)
  const requests = Object.values(costs.requests)
  const relayMs = costs.upgradeMs + costs.frameMs + sum(requests.map(({ relayMs }) => relayMs))
  const databaseMs = sum(requests.map(({ databaseMs }) => databaseMs))
  return agents * Math.max(costs.tlsHandshakeMs / balancerCores, databaseMs / databaseCores, relayMs / relays)
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? 'never' : `${(ms / 1_000).toFixed(1)} s`
}
