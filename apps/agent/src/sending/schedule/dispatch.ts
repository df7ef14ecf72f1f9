import { urgentPriority } from '@smsgw/contract/link/command'
import { heldUntilMs } from '../doubt/doubts.ts'
import { dequeue, expire, notConfirmed } from '../message/endings.ts'
import { hasBegun, isPlannedFor, isSent, type OutgoingMessage, withoutPlan } from '../message/message.ts'
import { simHeldEvent } from '../message/message-events.ts'
import { submitNext } from '../message/progress.ts'
import type { SendingSim } from '../sending-sim.ts'
import type { Step } from '../step.ts'
import { type Lane, needsTime, readySims, timedLane } from './lanes.ts'
import { decidePace } from './pace.ts'
import { chooseSim } from './sim-choice.ts'

/** Gives each idle lane the first message that it may send now. */
export function dispatch(step: Step): void {
  const { isStopped, schedule } = step.state
  if (isStopped) return
  const idle: Lane[] = []
  for (const lane of schedule.lanes.values()) if (lane.sending === undefined && !lane.isResting) idle.push(lane)
  if (idle.length === 0) return
  if (schedule.queue.length === 0) {
    for (const { sim, wakeAtMs } of idle) {
      if (wakeAtMs < Number.POSITIVE_INFINITY) changeLane(step, sim.iccid, { wakeAtMs: Number.POSITIVE_INFINITY })
    }
    return
  }
  const lanes = new Map(idle.map((lane) => [lane.sim.iccid, newIdleLane(lane)]))
  const iccids = new Map(idle.map(({ sim }) => [sim.simNumber, sim.iccid]))
  const lanesToFill = { lanes, iccids, ready: readySims(schedule) }
  // Reads the queue once for all lanes, because a machine may have 64 lanes.
  for (const cmdId of schedule.queue) {
    if (lanes.size === 0) return
    dispatchMessage(step, cmdId, lanesToFill)
  }
  for (const [iccid, { wakeAtMs }] of lanes) changeLane(step, iccid, { wakeAtMs })
}

/** The lanes that have no message yet. */
interface LanesToFill {
  /** By ICCID. */
  readonly lanes: Map<string, IdleLane>
  /** The ICCID of each SIM number. */
  readonly iccids: ReadonlyMap<number, string>
  /** The numbers of all SIMs that may send a message. */
  readonly ready: readonly number[]
}

interface IdleLane {
  readonly lane: Lane
  readonly sim: SendingSim
  /** Undefined until a message for this lane was found. */
  paceUntilMs: number | undefined
  /** The earliest time at which one of the messages that were read so far may be sent. */
  wakeAtMs: number
}

function newIdleLane(lane: Lane, wakeAtMs = Number.POSITIVE_INFINITY): IdleLane {
  return { lane, sim: lane.sim, paceUntilMs: undefined, wakeAtMs }
}

function dispatchMessage(step: Step, cmdId: string, toFill: LanesToFill): void {
  const message = step.message(cmdId)
  const idle = message && laneFor(step, message, toFill)
  if (message === undefined || idle === undefined) return
  const { nowMs } = step.moment
  const { iccid } = idle.sim
  idle.paceUntilMs ??= readPace(step, idle.lane)
  const laneUntilMs = message.command.priority >= urgentPriority ? idle.lane.pausedUntilMs : idle.paceUntilMs
  const atMs = Math.max(message.notBeforeMs, heldUntilMs(step.state, nowMs, iccid, message), laneUntilMs)
  if (atMs > nowMs) {
    idle.wakeAtMs = Math.min(idle.wakeAtMs, atMs)
    return
  }
  begin(step, cmdId, iccid)
  const after = step.state.schedule.lanes.get(iccid)
  // The message may have ended at once, for example if its deadline has passed. Then the lane takes another message.
  if (after === undefined || after.sending !== undefined) toFill.lanes.delete(iccid)
  else toFill.lanes.set(iccid, newIdleLane(after, idle.wakeAtMs))
}

function begin(step: Step, cmdId: string, iccid: string): void {
  const message = step.message(cmdId)
  const lane = step.state.schedule.lanes.get(iccid)
  if (message === undefined || lane === undefined) return
  dequeue(step, message)
  const sending = { cmdId, sinceMs: step.moment.nowMs, hadBegun: hasBegun(message) }
  step.putLane({ ...lane, sending, wakeAtMs: Number.POSITIVE_INFINITY })
  const begun = step.put({ ...(isPlannedFor(message, lane.sim) ? message : withoutPlan(message)), phase: 'sending' })
  if (begun.plan !== undefined) {
    submitNext(step, lane.sim, begun)
    return
  }
  const { command, deadlineMs } = begun
  const validForSeconds = command.validUntil === undefined ? undefined : (deadlineMs - step.moment.stamp.wallMs) / 1000
  step.emit({ kind: 'plan', sim: lane.sim, command, validForSeconds })
}

/** Returns the idle lane that may send the message, or undefined if the message must wait for another input. */
function laneFor(step: Step, message: OutgoingMessage, { lanes, iccids, ready }: LanesToFill): IdleLane | undefined {
  const { unconfirmed } = step.state
  if (message.isCancelled || message.isDistrusted || unconfirmed.has(message.cmdId)) return undefined
  if (message.command.validUntil !== undefined && !step.moment.stamp.trusted) return undefined
  const iccid = message.plan?.iccid ?? iccids.get(simFor(step, message, ready) ?? 0)
  const idle = iccid === undefined ? undefined : lanes.get(iccid)
  // The rest of a long message cannot be sent in another form, so the message waits for a modem of the same kind.
  return idle === undefined || (hasBegun(message) && !isPlannedFor(message, idle.sim)) ? undefined : idle
}

function simFor(step: Step, message: OutgoingMessage, ready: readonly number[]): number | undefined {
  if (message.command.simNumber !== undefined) return message.command.simNumber
  if (message.simNumber !== undefined && ready.includes(message.simNumber)) return message.simNumber
  const { settings, lastChosenSim } = step.state.schedule
  const chosen = chooseSim(settings.simSelection, ready, lastChosenSim, () => step.moment.random())
  if (settings.simSelection === 'RoundRobin' && chosen !== undefined) step.changeSchedule({ lastChosenSim: chosen })
  if (chosen !== message.simNumber) step.put({ ...message, simNumber: chosen })
  return chosen
}

/**
 * Returns the time until which the lane pauses, because of its pace or a refusal. Logs limits and work hours that hold
 * messages back.
 */
function readPace(step: Step, before: Lane): number {
  const { pace } = step.state.schedule.settings
  const { nowMs, stamp } = step.moment
  const lane = timedLane(step, before)
  if (lane !== before) step.putLane(lane)
  if (!stamp.trusted && needsTime(pace)) return Number.POSITIVE_INFINITY
  const decision = decidePace(pace, lane.history, stamp.wallMs, (ms) => step.moment.minuteOfDay(ms))
  const { iccid, simNumber } = lane.sim
  if (decision.kind === 'go') {
    if (lane.loggedHold !== undefined) changeLane(step, iccid, { loggedHold: undefined })
    return lane.pausedUntilMs
  }
  const hold = `${decision.why} ${decision.untilMs}`
  if (decision.why !== 'pause' && lane.loggedHold !== hold && step.state.schedule.queue.length > 0) {
    changeLane(step, iccid, { loggedHold: hold })
    step.write([simHeldEvent(simNumber, decision.why, decision.untilMs, step.moment)])
  }
  return Math.max(lane.pausedUntilMs, nowMs + decision.untilMs - stamp.wallMs)
}

/** Ends messages whose deadline has passed, if the clock can be trusted. */
export function checkDeadlines(step: Step): void {
  const { wallMs, trusted } = step.moment.stamp
  if (!trusted || step.state.isStopped || step.state.schedule.deadlineCheckMs > wallMs) return
  let nextMs = Number.POSITIVE_INFINITY
  for (const message of step.state.open.values()) {
    if (message.deadlineMs <= wallMs) deadlinePassed(step, message)
    // A message that is at the modem or in doubt is checked again later.
    nextMs = Math.min(nextMs, Math.max(message.deadlineMs, wallMs + checkAgainMs))
  }
  step.changeSchedule({ deadlineCheckMs: nextMs })
}

export function watchDeadline(step: Step, { deadlineMs }: OutgoingMessage): void {
  const deadlineCheckMs = Math.min(deadlineMs, step.state.schedule.deadlineCheckMs)
  step.changeSchedule({ deadlineCheckMs })
}

/** Sets the single timer to the time of the next due task. */
export function setTimer(step: Step): void {
  const { schedule, doubt, limits, timerAtMs, isStopped } = step.state
  if (isStopped) return
  const { nowMs, stamp } = step.moment
  let dueMs = Number.POSITIVE_INFINITY
  if (stamp.trusted) dueMs = nowMs + Math.max(0, schedule.deadlineCheckMs - stamp.wallMs)
  for (const { sending, isResting, wakeAtMs, graceUntilMs } of schedule.lanes.values()) {
    if (sending === undefined && !isResting) dueMs = Math.min(dueMs, wakeAtMs)
    if (graceUntilMs !== undefined) dueMs = Math.min(dueMs, graceUntilMs)
  }
  // Checks regularly, because the clock may be set at any time without a notification.
  if (dueMs < Number.POSITIVE_INFINITY) dueMs = Math.min(dueMs, nowMs + limits.longestSleepMs)
  for (const untilMs of doubt.untilMs.values()) dueMs = Math.min(dueMs, untilMs)
  // Keeps the timer. If it fires too early, nothing is due, and the timer is set again.
  if (dueMs >= timerAtMs) return
  step.change({ timerAtMs: dueMs })
  step.emit({ kind: 'set-timer', atMs: dueMs })
}

function deadlinePassed(step: Step, message: OutgoingMessage): void {
  // A message in another phase continues when the modem answers, or when its doubt ends.
  if (message.phase !== 'waiting' || isSent(message) || message.isCancelled) return
  const isUnconfirmed = step.state.unconfirmed.has(message.cmdId)
  expire(step, isUnconfirmed ? { ...message, lastReason: notConfirmed } : message)
}

function changeLane(step: Step, iccid: string, change: Partial<Lane>): void {
  const lane = step.state.schedule.lanes.get(iccid)
  if (lane === undefined) return
  const isChanged = Object.entries(change).some(([key, value]) => lane[key as keyof Lane] !== value)
  if (isChanged) step.putLane({ ...lane, ...change })
}

const checkAgainMs = 1000
