import { urgentPriority } from '@smsgw/contract/link/command'
import type { WaitingReport } from '@smsgw/contract/link/waiting-report'
import type { WaitingReason } from '@smsgw/contract/messages/waiting'
import { heldUntilMs } from '../doubt/doubts.ts'
import type { OutgoingMessage } from '../message/message.ts'
import type { Moment, SendingState } from '../sending-state.ts'
import { type Lane, laneOfSim, needsTime, timedLane } from './lanes.ts'
import { decidePace } from './pace.ts'

/** The state of a SIM, as the API names it; undefined for a SIM that the device does not have. */
export type SimStateOf = (simNumber: number) => string | undefined

/**
 * Reports why each message waits. The reasons are computed from the state in each call, so that an outdated reason
 * disappears.
 *
 * @param isCounted returns false for messages that have just arrived, which are left out
 */
export function createWaitingReport(
  state: SendingState,
  moment: Moment,
  stateOf: SimStateOf,
  isCounted: (cmdId: string) => boolean = () => true,
): WaitingReport {
  const world: World = { state, moment, stateOf }
  const counted = [...state.open.values()].filter(({ cmdId }) => isCounted(cmdId))
  const groups = new Map<string, { readonly wait: ShownWait; readonly cmdIds: string[] }>()
  for (const message of counted) {
    const wait = waitOf(world, message) ?? queuedWait(message)
    if (wait === undefined) continue
    const shown = shownWait(moment, wait)
    const name = JSON.stringify(shown)
    const group = groups.get(name) ?? { wait: shown, cmdIds: [] }
    groups.set(name, group)
    if (group.cmdIds.length < mostInGroup) group.cmdIds.push(message.cmdId)
  }
  const messages = [...groups.values()].slice(0, mostGroups).map(({ wait, cmdIds }) => ({ ...wait, cmdIds }))
  // The states of the SIMs matter only while messages wait.
  if (counted.length === 0) return { sims: [], messages }
  const sims = simNumbersOf(state).flatMap((simNumber) => {
    const wait = waitOfSim(world, simNumber)
    return wait === undefined ? [] : [{ ...shownWait(moment, wait), simNumber }]
  })
  const anySim = waitOfAnySim(world)
  return { sims, ...(anySim !== undefined && { anySim: shownWait(moment, anySim) }), messages }
}

/** Why a message is not sent now, or why a SIM does not send now. */
interface Wait {
  readonly reason: WaitingReason
  /** When the wait ends, on the monotonic clock; undefined if it is not known. */
  readonly untilMs?: number
  readonly simNumber?: number
  /** True if only ordinary messages wait, and urgent messages do not. */
  readonly isForOrdinary?: boolean
}

interface World {
  readonly state: SendingState
  readonly moment: Moment
  readonly stateOf: SimStateOf
}

function waitOf(world: World, message: OutgoingMessage): Wait | undefined {
  const { state, moment } = world
  const { cmdId, command, phase } = message
  if (phase === 'in-doubt') return { reason: 'outcome_unknown', ...until(state.doubt.untilMs.get(cmdId)) }
  if (phase === 'sending') {
    const lane = [...state.schedule.lanes.values()].find(({ sending }) => sending?.cmdId === cmdId)
    return lane && waitForModem(world, lane)
  }
  if (phase !== 'waiting' || message.isCancelled) return undefined
  if (state.unconfirmed.has(cmdId)) return { reason: 'relay_unreachable' }
  if (command.validUntil !== undefined && !moment.stamp.trusted) return { reason: 'clock_unknown' }
  const simNumber = message.plan?.simNumber ?? command.simNumber ?? message.simNumber
  if (simNumber === undefined) return waitOfAnySim(world)
  const ofSim = waitOfSim(world, simNumber)
  const isUrgent = command.priority >= urgentPriority
  const lane = laneOfSim(state.schedule, simNumber)
  const heldMs = lane === undefined ? 0 : heldUntilMs(state, moment.nowMs, lane.sim.iccid, message)
  return longest([
    ofSim?.isForOrdinary && isUrgent ? undefined : ofSim,
    message.notBeforeMs > moment.nowMs ? { reason: 'retry', untilMs: message.notBeforeMs, simNumber } : undefined,
    heldMs > moment.nowMs ? { reason: 'earlier_outcome_unknown', untilMs: heldMs } : undefined,
  ])
}

/** A message that nothing else delays waits until its SIM has sent earlier or more urgent messages. */
function queuedWait({ phase, isCancelled }: OutgoingMessage): Wait | undefined {
  return phase === 'waiting' && !isCancelled ? { reason: 'queued' } : undefined
}

function waitOfSim(world: World, simNumber: number): Wait | undefined {
  const lane = laneOfSim(world.state.schedule, simNumber)
  return lane === undefined ? { reason: reasonOfState(world.stateOf(simNumber)), simNumber } : waitOfLane(world, lane)
}

/** Returns why the lane cannot begin a message. Returns undefined if the lane can begin a message or is sending one. */
function waitOfLane(world: World, lane: Lane): Wait | undefined {
  const { nowMs, stamp } = world.moment
  const { simNumber } = lane.sim
  const { pace } = world.state.schedule.settings
  if (lane.isResting) {
    return { reason: world.stateOf(simNumber) === 'roaming' ? 'roaming' : 'no_network', simNumber }
  }
  if (lane.sending !== undefined) return waitForModem(world, lane)
  if (lane.pausedUntilMs > nowMs) return { reason: 'modem_busy', untilMs: lane.pausedUntilMs, simNumber }
  if (!stamp.trusted && needsTime(pace)) return { reason: 'clock_unknown', isForOrdinary: true }
  const { history } = timedLane(world, lane)
  const decision = decidePace(pace, history, stamp.wallMs, (ms) => world.moment.minuteOfDay(ms))
  if (decision.kind === 'go') return undefined
  const reason = decision.why === 'work-hours' ? 'work_hours' : decision.why
  return { reason, untilMs: nowMs + decision.untilMs - stamp.wallMs, simNumber, isForOrdinary: true }
}

/** Returns a wait if a modem has been sending its message for longer than a working modem needs. */
function waitForModem({ state, moment }: World, { sim, sending }: Lane): Wait | undefined {
  if (sending === undefined) return undefined
  const parts = state.open.get(sending.cmdId)?.parts ?? []
  const sinceMs = Math.max(sending.sinceMs, ...parts.map(({ committed }) => committed?.monotonicMs ?? 0))
  return moment.nowMs - sinceMs < stuckAfterMs ? undefined : { reason: 'modem_busy', simNumber: sim.simNumber }
}

/**
 * Returns undefined if at least one SIM accepts messages. Otherwise returns the wait of the SIM that is likely to be
 * ready first.
 */
function waitOfAnySim(world: World): Wait | undefined {
  const waits = simNumbersOf(world.state).map((simNumber) => waitOfSim(world, simNumber))
  const found = waits.filter((wait) => wait !== undefined)
  if (found.length < waits.length) return undefined
  const soonest = found.sort((a, b) => (a.untilMs ?? Number.MAX_VALUE) - (b.untilMs ?? Number.MAX_VALUE))[0]
  const likely = likelyBack.flatMap((reason) => found.find((wait) => wait.reason === reason) ?? [])[0]
  const chosen = soonest?.untilMs === undefined ? (likely ?? soonest) : soonest
  if (chosen === undefined) return { reason: 'modem_missing' }
  // On a device with several SIMs, the reason does not name a particular SIM.
  return found.length === 1 ? chosen : { reason: chosen.reason, ...until(chosen.untilMs) }
}

function simNumbersOf({ schedule }: SendingState): readonly number[] {
  const inLanes = [...schedule.lanes.values()].map(({ sim }) => sim.simNumber)
  return [...new Set([...(schedule.knownSims ?? []), ...inLanes])].sort((a, b) => a - b)
}

type ShownWait = ReturnType<typeof shownWait>

function shownWait({ nowMs, stamp }: Moment, { reason, untilMs, simNumber }: Wait) {
  const atMs = untilMs === undefined ? undefined : stamp.wallMs + untilMs - nowMs
  return {
    reason,
    // Rounds to whole seconds, so that the same end always results in the same text.
    ...(stamp.trusted && atMs !== undefined && { until: new Date(Math.round(atMs / 1000) * 1000).toISOString() }),
    ...(simNumber !== undefined && { simNumber }),
  }
}

const mostInGroup = 1_024
const mostGroups = 1_024
const likelyBack: readonly WaitingReason[] = ['modem_busy', 'no_network', 'roaming', 'sim_locked', 'modem_missing']

/** Longer than the ten seconds that some networks need for a part. */
const stuckAfterMs = 15_000

function reasonOfState(state: string | undefined): WaitingReason {
  switch (state) {
    case 'searching':
    case 'denied':
      return 'no_network'
    case 'roaming':
      return 'roaming'
    case 'locked':
    case 'puk':
      return 'sim_locked'
    case undefined:
    case 'absent':
      return 'modem_missing'
    default:
      return 'modem_busy'
  }
}

/** Returns the wait that ends last. A wait without a known end counts as the longest. */
function longest(waits: readonly (Wait | undefined)[]): Wait | undefined {
  const found = waits.filter((wait) => wait !== undefined)
  return found.sort((a, b) => (b.untilMs ?? Number.MAX_VALUE) - (a.untilMs ?? Number.MAX_VALUE))[0]
}

function until(untilMs: number | undefined): { readonly untilMs?: number } {
  return untilMs === undefined ? {} : { untilMs }
}
