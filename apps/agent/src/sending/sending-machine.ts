import {
  distrust,
  giveUpDoubts,
  giveUpWritten,
  lateResult,
  proveAccepted,
  resolveDoubt,
  restoreDoubt,
} from './doubt/doubts.ts'
import { partReported } from './doubt/status-reports.ts'
import { end, endSent, enqueue, fail, noSuchSim, rememberAll } from './message/endings.ts'
import {
  canBeCancelled,
  hasBegun,
  isSent,
  newMessage,
  type OutgoingMessage,
  wantedSim,
  withoutPlan,
} from './message/message.ts'
import { cancelledEvent, cancelRefusedEvent } from './message/message-events.ts'
import { committed, planned, prompted, resultArrived, resultWritten, sendingCrashed } from './message/progress.ts'
import { checkDeadlines, dispatch, setTimer, watchDeadline } from './schedule/dispatch.ts'
import { endGraces, historyRead, phoneNumberOf, simGone, simLostNetwork, simReady } from './schedule/lanes.ts'
import { reordered } from './schedule/queue.ts'
import type { Moment, SendingInput, SendingState, SendingStep } from './sending-state.ts'
import { Step } from './step.ts'
import { VersionedMap } from './versioned-map.ts'

/**
 * Makes all decisions about sending, as a pure function. `Sender` carries out the effects, and passes their results as
 * the next input. The path of a message:
 *
 *   accepted ──► queue ──► lane of a SIM ──► plan ──► submit ──► prompted ──► commit ──► result ──► ended
 *                  ▲                                    ▲                                  │
 *                  │                                    └──────── next part ◄──────────────┤ accepted
 *                  └── refused for now, or not sent ◄──────────────────────────────────────┤
 *                  └── resolved ◄── in doubt ◄──────────────── outcome unknown ◄───────────┘
 *                                      └──► given up as `submit_unknown`, corrected by later evidence
 *
 * Together with a journal that carries out `write` and `commit` it keeps these promises: a PDU is sent only after its
 * COMMIT is on disk; a part that may have been sent is never sent again automatically; each message ends once, and only
 * `submit_unknown` is corrected afterwards.
 *
 * Folders: `schedule` (which message is sent next, and through which SIM), `message` (its parts and their results),
 * `doubt` (evidence about parts whose outcome is unknown).
 */
export function next(state: SendingState, input: SendingInput, moment: Moment): SendingStep {
  const openBefore = state.open.size
  const step = new Step(state, moment)
  apply(step, input)
  if (isScheduled(input)) {
    checkDeadlines(step)
    dispatch(step)
    setTimer(step)
  }
  const open = step.state.open.size
  if (open !== openBefore) step.emit({ kind: 'open-changed', open })
  return { state: step.state, effects: step.effects }
}

/**
 * Returns true if the input may free a lane or a message, or change a time at which something is due. The excluded
 * inputs belong to an attempt in progress, so they do neither.
 */
function isScheduled({ kind }: SendingInput): boolean {
  return kind !== 'prompted' && kind !== 'committed' && kind !== 'result-written'
}

function apply(step: Step, input: SendingInput): void {
  switch (input.kind) {
    case 'restored':
      restored(step, input.open, input.givenUp)
      break
    case 'accepted':
      accepted(step, input)
      break
    case 'cancel':
      cancel(step, input.cmdId)
      break
    case 'journal-confirmed':
      step.change({ unconfirmed: new Set() })
      break
    case 'journal-unconfirmed':
      step.change({ unconfirmed: new Set(step.state.open.keys()) })
      break
    case 'journal-distrusted':
      distrust(step, input.renounced)
      break
    case 'sims-known':
      step.changeSchedule({ knownSims: new Set(input.simNumbers) })
      refuseUnknownSims(step)
      break
    case 'sim-ready':
      simReady(step, input.sim)
      break
    case 'history-read':
      historyRead(step, input.sim, input.sentMs)
      break
    case 'sim-lost-network':
      simLostNetwork(step, input.sim)
      break
    case 'sim-gone':
      simGone(step, input.sim)
      break
    case 'settings': {
      const queue = reordered(step.state.schedule.queue, input.settings.order, step.state.open)
      step.changeSchedule({ settings: input.settings, queue })
      break
    }
    case 'time-changed':
      step.changeSchedule({ deadlineCheckMs: 0 })
      break
    case 'timer':
      step.change({ timerAtMs: Number.POSITIVE_INFINITY })
      endGraces(step)
      giveUpDoubts(step)
      break
    case 'stop':
      step.change({ isStopped: true })
      step.changeSchedule({ lanes: new VersionedMap(), arriving: new Map() })
      step.emit({ kind: 'cancel-timer' })
      break
    default:
      applyToMessage(step, input)
      break
  }
}

type MessageInput = Extract<
  SendingInput,
  {
    kind:
      | 'planned'
      | 'prompted'
      | 'committed'
      | 'result'
      | 'result-written'
      | 'sending-crashed'
      | 'late-result'
      | 'part-reported'
      | 'doubt-proved'
      | 'doubt-resolved'
      | 'give-up-written'
      | 'ended'
  }
>

function applyToMessage(step: Step, input: MessageInput): void {
  switch (input.kind) {
    case 'planned':
      planned(step, input.sim, input.cmdId, input.planned)
      break
    case 'prompted':
      prompted(step, input)
      break
    case 'committed':
      committed(step, input)
      break
    case 'result':
      resultArrived(step, input, input.result)
      break
    case 'result-written':
      resultWritten(step, input.unwritten, input.reference, input.isAnswer)
      break
    case 'sending-crashed':
      sendingCrashed(step, input.sim, input.cmdId)
      break
    case 'late-result':
      lateResult(step, input.cmdId, input.at, input.attempt, input.result)
      break
    case 'part-reported':
      partReported(step, input)
      break
    case 'doubt-proved':
      proveAccepted(step, input.cmdId, input.at, input.report)
      break
    case 'doubt-resolved':
      resolveDoubt(step, input.cmdId, input.result)
      break
    case 'give-up-written':
      giveUpWritten(step, input.cmdId)
      break
    case 'ended':
      ended(step, input.cmdId)
      break
  }
}

/**
 * Messages are not sent until the relay has confirmed the journal. But before that, a message can expire, and a message
 * in doubt can get its outcome.
 */
function restored(step: Step, open: readonly OutgoingMessage[], givenUp: readonly OutgoingMessage[]): void {
  rememberAll(step, givenUp)
  for (const message of open) {
    step.add(message)
    watchDeadline(step, message)
    if (isSent(message)) endSent(step, message, undefined)
    else if (message.phase === 'in-doubt') restoreDoubt(step, message)
    // Plans the message again, because the slot may now contain another SIM.
    else enqueue(step, hasBegun(message) ? message : withoutPlan(message))
  }
  step.change({ unconfirmed: new Set(open.map(({ cmdId }) => cmdId)) })
}

function accepted(step: Step, { commands, receivedMs }: Extract<SendingInput, { kind: 'accepted' }>): void {
  for (const command of commands) {
    const message = newMessage(command, receivedMs, step.state.limits.lifeMs)
    step.add(message)
    enqueue(step, message)
    watchDeadline(step, message)
  }
  refuseUnknownSims(step)
}

function cancel(step: Step, cmdId: string): void {
  const message = step.message(cmdId)
  if (message === undefined || !canBeCancelled(message)) {
    step.write([cancelRefusedEvent(cmdId, step.moment)])
    return
  }
  // A submission that waits for its prompt checks `isCancelled`, and then withdraws.
  step.put({ ...message, isCancelled: true })
  const sim = { simNumber: wantedSim(message), phoneNumber: phoneNumberOf(step.state.schedule, message) }
  step.write(
    [
      { kind: 'command-ended', cmdId, at: step.moment.stamp, outcome: 'cancelled' },
      cancelledEvent(cmdId, sim, step.moment),
    ],
    { onWritten: { kind: 'ended', cmdId } },
  )
}

function ended(step: Step, cmdId: string): void {
  const message = step.state.open.get(cmdId) ?? step.state.remembered.get(cmdId)
  if (message !== undefined) end(step, message)
}

function refuseUnknownSims(step: Step): void {
  const { knownSims, queue } = step.state.schedule
  if (knownSims === undefined) return
  for (const cmdId of queue) {
    const message = step.message(cmdId)
    const simNumber = message?.command.simNumber
    if (message === undefined || simNumber === undefined || knownSims.has(simNumber)) continue
    if (!hasBegun(message) && !message.isCancelled) fail(step, message, noSuchSim(simNumber, knownSims))
  }
}
