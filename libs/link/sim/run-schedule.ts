import type { ScheduleReport } from '@smsgw/simulation/simulation'
import { isLinkSettled, judgeLink } from './judge.ts'
import { type LinkSchedule, planLinkSchedule } from './schedule.ts'
import { LinkWorld } from './world.ts'

export interface LinkReport extends ScheduleReport {
  readonly schedule: LinkSchedule
  readonly trace: readonly string[]
}

/**
 * Runs one schedule on a virtual clock. The same seed gives the same run. Faults stop before the end of the run, so at
 * the end every accepted message must have a final state, and every event of a journal must be stored.
 */
export function runLinkSchedule(seed: number, options: { readonly tracing?: boolean } = {}): LinkReport {
  const schedule = planLinkSchedule(seed)
  const world = new LinkWorld(schedule, options.tracing ?? false)
  const { time, invariants } = world
  const isEnough = () => invariants.problems.length > 0 || time.steps > mostSteps
  time.pass(schedule.endMs, isEnough)
  world.repair()
  time.pass(time.nowMs + longestEndMs, () => isEnough() || isLinkSettled(world))
  const problems = [...invariants.problems]
  if (time.steps > mostSteps) problems.push(`${time.steps} steps in ${time.nowMs.toFixed(0)} ms`)
  if (problems.length === 0) problems.push(...judgeLink(world))
  return { schedule, problems, seen: seenIn(world), virtualMs: time.nowMs, trace: world.trace }
}

/** Ten times as many steps as the longest schedule needs. More steps mean an endless loop. */
const mostSteps = 20_000
/**
 * How long the run continues after the last fault. The time is sufficient for sockets that neither end closes, for the
 * longest pauses, and for the attempts until two duplicates stop.
 */
const longestEndMs = 900_000

function seenIn(world: LinkWorld): Record<string, number> {
  const { store, agents, invariants, schedule } = world
  const seen: Record<string, number> = { [`story: ${schedule.story}`]: 1, 'events stored': 0 }
  const count = (what: string, times = 1) => {
    seen[what] = (seen[what] ?? 0) + times
  }
  for (const { outcome } of store.sends.values()) count(`sends: ${outcome}`)
  for (const { ids } of store.journals.values()) {
    count('events stored', ids.length)
    count('events skipped', ids.filter((id) => id === 'skipped').length)
    count('events unreadable', ids.filter((id) => id === 'unreadable').length)
  }
  for (const { state } of agents) if (state.phase.kind === 'stopped') count(`stopped: ${state.phase.why}`)
  if (agents.length > 1 && agents.every(({ isStopped }) => isStopped)) count('both duplicates stopped')
  count('journals replaced', invariants.replaced)
  count('replays', invariants.replays)
  count('connections', store.connEpoch)
  return seen
}
