import { hasBegun, type OutgoingMessage, wantedSim, withoutPlan } from '../message/message.ts'
import type { SendingSim } from '../sending-sim.ts'
import { type Step, withEntry, withoutEntry } from '../step.ts'
import { VersionedMap } from '../versioned-map.ts'
import { afterSending, type Pace, type PaceHistory, pauseAfter, setBack } from './pace.ts'
import { defaultSendingSettings, type SendingSettings } from './sending-settings.ts'

export interface ScheduleState {
  readonly settings: SendingSettings
  /** Ids of the waiting messages, the next message first. */
  readonly queue: readonly string[]
  /** By ICCID. */
  readonly lanes: VersionedMap<string, Lane>
  /** SIMs whose history is being read, by ICCID. */
  readonly arriving: ReadonlyMap<string, SendingSim>
  /** The SIM numbers of this device; undefined until they are known. */
  readonly knownSims: ReadonlySet<number> | undefined
  readonly lastChosenSim: number
  /** Wall time of the next check for messages past their deadline. */
  readonly deadlineCheckMs: number
}

export function newSchedule(): ScheduleState {
  return {
    settings: defaultSendingSettings,
    queue: [],
    lanes: new VersionedMap(),
    arriving: new Map(),
    knownSims: undefined,
    lastChosenSim: 0,
    deadlineCheckMs: Number.POSITIVE_INFINITY,
  }
}

/**
 * The lane of one SIM, which sends one message at a time. A slow modem or a paused SIM delays only its own lane.
 *
 * - none: no modem with this SIM is set up. A lost modem leads here from every state.
 * - arriving: the history of the SIM is being read. Next: idle.
 * - idle ⇄ sending
 * - idle ⇄ resting: the SIM has no network.
 *
 * A card that was moved may be ready in its new modem before the old modem reports its removal, so reports about
 * another `sim` object are ignored.
 */
export interface Lane {
  readonly sim: SendingSim
  readonly history: PaceHistory
  /** The difference between wall time and monotonic time at the last update of the history. */
  readonly aheadMs: number
  readonly sending: { readonly cmdId: string; readonly sinceMs: number; readonly hadBegun: boolean } | undefined
  readonly isResting: boolean
  /** While the lane is resting: the monotonic time until which the network is expected to return. */
  readonly graceUntilMs: number | undefined
  /** The monotonic time until which the lane pauses after a refusal by the modem or the network. */
  readonly pausedUntilMs: number
  /** The number of consecutive refusals. */
  readonly failures: number
  /** The limit or the work hours that were logged last. */
  readonly loggedHold: string | undefined
  /** The monotonic time at which a waiting message may be sent next. */
  readonly wakeAtMs: number
}

export function simReady(step: Step, sim: SendingSim): void {
  const { lanes, arriving } = step.state.schedule
  const lane = lanes.get(sim.iccid)
  if (lane?.sim === sim) {
    step.putLane({ ...lane, isResting: false, graceUntilMs: undefined })
    return
  }
  if (lane !== undefined) step.changeSchedule({ lanes: lanes.without(sim.iccid) })
  step.changeSchedule({ arriving: withEntry(arriving, sim.iccid, sim) })
  step.emit({ kind: 'read-history', sim })
}

export function historyRead(step: Step, sim: SendingSim, sentMs: readonly number[]): void {
  const { arriving, settings } = step.state.schedule
  // The SIM was removed or replaced while the journal was read.
  if (arriving.get(sim.iccid) !== sim) return
  step.changeSchedule({ arriving: withoutEntry(arriving, sim.iccid) })
  const { nowMs, stamp, random } = step.moment
  // Leaves out times in the future, which come from a clock that was ahead.
  const past = sentMs.filter((ms) => ms <= stamp.wallMs)
  step.putLane({
    sim,
    history: { sentMs: past, pauseMs: past.length === 0 ? 0 : pauseAfter(settings.pace, random()) },
    aheadMs: stamp.wallMs - nowMs,
    sending: undefined,
    isResting: false,
    graceUntilMs: undefined,
    pausedUntilMs: 0,
    failures: 0,
    loggedHold: undefined,
    wakeAtMs: Number.POSITIVE_INFINITY,
  })
}

export function simLostNetwork(step: Step, sim: SendingSim): void {
  const lane = step.state.schedule.lanes.get(sim.iccid)
  if (lane?.sim !== sim) simGone(step, sim)
  else if (!lane.isResting) step.putLane({ ...lane, isResting: true, graceUntilMs: step.moment.nowMs + graceMs })
}

export function simGone(step: Step, sim: SendingSim): void {
  const { lanes, arriving } = step.state.schedule
  if (lanes.get(sim.iccid)?.sim === sim) step.changeSchedule({ lanes: lanes.without(sim.iccid) })
  else if (arriving.get(sim.iccid) === sim) step.changeSchedule({ arriving: withoutEntry(arriving, sim.iccid) })
  else return
  releaseMessages(step, sim.iccid)
}

/** Allows other SIMs to send the messages of a lane whose network did not return in time. */
export function endGraces(step: Step): void {
  for (const lane of step.state.schedule.lanes.values()) {
    if (lane.graceUntilMs === undefined || lane.graceUntilMs > step.moment.nowMs) continue
    step.putLane({ ...lane, graceUntilMs: undefined })
    releaseMessages(step, lane.sim.iccid)
  }
}

/** Frees the lane after a message has ended or cannot continue for now. */
export function finishSending(step: Step, sim: SendingSim, message: OutgoingMessage | undefined): void {
  const lane = laneOf(step, sim)
  if (lane?.sending === undefined) return
  const hasGone = message !== undefined && hasBegun(message) && !lane.sending.hadBegun
  const timed = timedLane(step, lane)
  const { pace } = step.state.schedule.settings
  const { stamp, random } = step.moment
  const history = hasGone ? afterSending(pace, timed.history, stamp.wallMs, random()) : timed.history
  step.putLane({ ...timed, history, sending: undefined })
}

/** Pauses the lane for a while after the SIM or modem accepted nothing. */
export function pauseLane(step: Step, sim: SendingSim, firstMs: number, mostMs?: number): void {
  const lane = laneOf(step, sim)
  if (lane === undefined) return
  const failures = lane.failures + 1
  const pausedUntilMs = step.moment.nowMs + backOffMs(failures, firstMs, step.moment.random(), mostMs)
  step.putLane({ ...lane, failures, pausedUntilMs })
}

export function resetFailures(step: Step, sim: SendingSim): void {
  const lane = laneOf(step, sim)
  if (lane !== undefined && lane.failures > 0) step.putLane({ ...lane, failures: 0 })
}

/**
 * If the clock was set back, moves the times in the history back too. Otherwise the lane would pause until the clock
 * has caught up.
 */
export function timedLane({ moment: { nowMs, stamp } }: Pick<Step, 'moment'>, lane: Lane): Lane {
  const aheadMs = stamp.wallMs - nowMs
  const backMs = lane.aheadMs - aheadMs
  if (backMs > setBackMs) return { ...lane, aheadMs, history: setBack(lane.history, backMs) }
  return backMs < 0 ? { ...lane, aheadMs } : lane
}

/** Returns the numbers of the SIMs that may send a message. */
export function readySims({ lanes }: ScheduleState): readonly number[] {
  const ready: number[] = []
  for (const { sim, isResting, graceUntilMs } of lanes.values())
    if (!isResting || graceUntilMs !== undefined) ready.push(sim.simNumber)
  return ready
}

export function laneOfSim({ lanes }: ScheduleState, simNumber: number): Lane | undefined {
  return [...lanes.values()].find(({ sim }) => sim.simNumber === simNumber)
}

/** Returns the phone number of the SIM that the message uses, or would use. */
export function phoneNumberOf(schedule: ScheduleState, message: OutgoingMessage): string | undefined {
  if (message.plan !== undefined) return schedule.lanes.get(message.plan.iccid)?.sim.phoneNumber
  const simNumber = wantedSim(message)
  return simNumber === undefined ? undefined : laneOfSim(schedule, simNumber)?.sim.phoneNumber
}

/** Returns true if the pace depends on the time of day: work hours, and limits of a day or longer. */
export function needsTime({ workHours, limit }: Pace): boolean {
  return workHours !== undefined || (limit !== undefined && limit.periodMs >= dayMs)
}

/**
 * Returns the pause before another try. The pause is doubled each time, up to an hour, and varies by ±20 %, so that not
 * all retries happen at the same time.
 *
 * @param random returns a number from 0 up to 1
 */
export function backOffMs(tries: number, firstMs: number, random: number, mostMs = longestBackOffMs): number {
  const doubled = Math.min(mostMs, Math.max(shortestBackOffMs, firstMs) * 2 ** Math.min(Math.max(0, tries - 1), 16))
  return Math.round(doubled * (0.8 + 0.4 * random))
}

function laneOf(step: Step, sim: SendingSim): Lane | undefined {
  const lane = step.state.schedule.lanes.get(sim.iccid)
  return lane?.sim === sim ? lane : undefined
}

/** Allows the waiting messages that were chosen or planned for this SIM to use another SIM. */
function releaseMessages(step: Step, iccid: string): void {
  for (const cmdId of step.state.schedule.queue) {
    const message = step.message(cmdId)
    if (message === undefined || hasBegun(message)) continue
    if (message.plan === undefined || message.plan.iccid === iccid) step.put(withoutPlan(message))
  }
}

/** A modem that changes cells loses the network for some seconds. */
const graceMs = 10_000
/** Smaller changes are caused by rounding and by the usual correction of a clock. */
const setBackMs = 1_000
const dayMs = 24 * 60 * 60_000
const shortestBackOffMs = 1000
const longestBackOffMs = 60 * 60_000
