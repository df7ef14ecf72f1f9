/** When the agents of a stopping relay reconnect, in milliseconds since the relay began to stop. */
export interface DrainPeriod {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * Returns the period in which this number of agents is asked to reconnect. It takes 20 s, or longer if more than 200
 * agents would leave in a second, because one other relay must be able to admit all of them and to accept messages
 * meanwhile. The first agents leave after 5 s, or after a quarter of a short period. A load balancer that has not
 * noticed the drain yet would send agents that leave earlier back to this relay.
 */
export function drainPeriod(agents: number, longestMs: number): DrainPeriod {
  const toMs = Math.min(longestMs, NOTICE_MS + Math.max(SHORTEST_MS, agents * EACH_MS + GROWTH_MS / 2))
  return { fromMs: Math.min(NOTICE_MS, toMs / 4), toMs }
}

/**
 * Returns a time for each agent. The period is divided into as many parts as there are agents, and each agent leaves in
 * a part of its own, in random order. If all times were random, twice as many agents would leave in some moments as in
 * others.
 *
 * At the beginning of the period, the number of agents that leave in a second grows from zero. The relay that receives
 * them has not admitted agents for a long time, so its first admissions take several times longer than the others: its
 * code is not compiled yet, and its database connections have no plans yet.
 */
export function drainTimes(agents: number, period: DrainPeriod): number[] {
  const times = Array.from({ length: agents }, (_, part) => timeOf((part + Math.random()) / agents, period))
  for (let last = agents - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1))
    ;[times[last], times[other]] = [times[other] as number, times[last] as number]
  }
  return times
}

/** Returns the time at which this share of the agents has left. */
function timeOf(share: number, { fromMs, toMs }: DrainPeriod): number {
  const growthMs = Math.min(GROWTH_MS, (toMs - fromMs) / 4)
  // The agents that leave while the rate grows would need half of this time at the full rate.
  const atFullRateMs = share * (toMs - fromMs - growthMs / 2)
  const ms = atFullRateMs < growthMs / 2 ? Math.sqrt(2 * growthMs * atFullRateMs) : atFullRateMs + growthMs / 2
  return Math.round(fromMs + ms)
}

/** The time in which most load balancers notice that a relay is not ready. */
const NOTICE_MS = 5_000
const SHORTEST_MS = 20_000
/** 200 agents a second. */
const EACH_MS = 5
/** In this time, a relay has admitted about a thousand agents. */
const GROWTH_MS = 8_000
