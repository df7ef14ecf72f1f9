import type { Change } from '../../journal/change.ts'
import { heldUntilMs, openDoubt } from '../doubt/doubts.ts'
import { backOffMs, finishSending, pauseLane, resetFailures } from '../schedule/lanes.ts'
import type { SendingSim } from '../sending-sim.ts'
import type { Attempt, Planned } from '../sending-state.ts'
import type { Step } from '../step.ts'
import type { AttemptResult } from './attempt-result.ts'
import { end, enqueue, expire, fail, failureChanges, success } from './endings.ts'
import { hasBegun, isSent, nextPart, noteOf, type OutgoingMessage, withoutPlan, withPart, withPlan } from './message.ts'
import { waitingEvent } from './message-events.ts'
import { putUnwritten, removeUnwritten, resultChanges, settledPart, unwrittenName } from './results.ts'

// Sends one message through one SIM: plans the message once, then sends its parts one after the other until the message
// is complete or stopped.

export function planned(step: Step, sim: SendingSim, cmdId: string, outcome: Planned): void {
  const message = step.message(cmdId)
  if (message?.phase !== 'sending' || message.isCancelled) finishSending(step, sim, message)
  else if (outcome.ok) submitNext(step, sim, step.put(withPlan(message, outcome.plan)))
  else {
    fail(step, message, outcome)
    finishSending(step, sim, message)
  }
}

export function submitNext(step: Step, sim: SendingSim, message: OutgoingMessage): void {
  const at = nextPart(message)
  const part = at === undefined ? undefined : message.parts[at]
  // Checks again whether a doubt delays the message, because an encrypted number is known only after the message was
  // planned.
  const isHeld = heldUntilMs(step.state, step.moment.nowMs, sim.iccid, message) > step.moment.nowMs
  if (at === undefined || part === undefined) finishSending(step, sim, message)
  else if (!mayContinue(step, message) || (isHeld && !hasBegun(message))) {
    wait(step, message)
    finishSending(step, sim, message)
  } else if (isLate(step, message)) {
    expire(step, message)
    finishSending(step, sim, message)
  } else {
    const { cmdId, parts } = message
    const moreFollow = step.state.schedule.queue.length > 0 || at + 1 < parts.length
    const { pdu, tpduLength, attempts } = part
    const text = part.text === undefined ? undefined : { text: part.text, destination: message.plan?.destination ?? '' }
    step.emit({ kind: 'submit', sim, cmdId, at, attempt: attempts + 1, pdu, tpduLength, text, moreFollow })
  }
}

/** Decides for the last time whether the part is sent. The plan is written together with the first COMMIT. */
export function prompted(step: Step, { sim, cmdId, at, attempt }: Attempt): void {
  const message = step.message(cmdId)
  if (message === undefined || message.isCancelled || isLate(step, message) || !mayContinue(step, message)) return
  const { stamp } = step.moment
  const committed = step.put(withPart(message, at, { state: 'committed', attempts: attempt, committed: stamp }))
  putUnwritten(step, unwrittenName(cmdId, at, attempt), committed, at)
  const { plan, isPlanWritten } = committed
  const evidence = { reference: step.state.doubt.lastReferences.get(sim.iccid) ?? null }
  step.emit({
    kind: 'commit',
    changes: [
      ...(plan === undefined || isPlanWritten ? [] : [{ kind: 'command-planned', cmdId, plan } as const]),
      { kind: 'part-committed', cmdId, part: at + 1, attempt, at: stamp, evidence },
    ],
  })
}

export function committed(step: Step, { cmdId }: Attempt): void {
  const message = step.message(cmdId)
  if (message !== undefined) step.put({ ...message, isPlanWritten: true })
}

/** Called when a part has its result. The modem receives the next part or message while the RESULT is being written. */
export function resultArrived(step: Step, attempt: Attempt, result: AttemptResult): void {
  const { sim, cmdId, at } = attempt
  const before = step.message(cmdId)
  if (before === undefined) {
    finishSending(step, sim, undefined)
    return
  }
  const isCommitted = before.parts[at]?.attempts === attempt.attempt
  const settled = step.put(settledPart(step, before, at, result, sim.iccid, isCommitted))
  const changes = isCommitted ? resultChanges(settled, at, attempt.attempt, result, step.moment) : []
  const consequences = judge(step, settled, at, sim, result)
  const message = step.message(cmdId) ?? settled
  writeResult(step, attempt, message, [...changes, ...consequences], result)
  continueAfter(step, message, sim, result)
}

export function sendingCrashed(step: Step, sim: SendingSim, cmdId: string): void {
  const message = step.message(cmdId)
  if (message !== undefined && message.outcome === undefined) {
    if (hasBegun(message)) {
      const parts = message.parts.map((part, at) => {
        if (part.state !== 'committed') return part
        removeUnwritten(step, unwrittenName(cmdId, at, part.attempts))
        return { ...part, state: 'unknown' as const }
      })
      step.write(openDoubt(step, { ...message, parts }, nextPart(message) ?? 0, 'agent failed'))
    } else
      fail(step, message, { code: 'agent_failed', reason: 'internal error of the agent; see the log of the agent' })
  }
  finishSending(step, sim, step.message(cmdId))
}

/** Returns the changes of the message that follow from the result. The changes are written together with the RESULT. */
function judge(
  step: Step,
  message: OutgoingMessage,
  at: number,
  sim: SendingSim,
  result: AttemptResult,
): readonly Change[] {
  const { cmdId } = message
  switch (result.kind) {
    case 'accepted': {
      if (!isSent(message)) return []
      const { outcome, changes } = success(message, sim, step.moment, message.outcome !== undefined)
      step.put({ ...message, outcome, givenUpMs: undefined })
      return changes
    }
    case 'refused': {
      if (result.again === 'never') {
        const failed = step.put({ ...message, outcome: 'failed' })
        return failureChanges(step, failed, { code: 'refused', reason: result.reason })
      }
      const tries = message.tries + 1
      const notBeforeMs = step.moment.nowMs + backOffMs(tries, result.retryAfterMs, step.moment.random())
      const retried = step.put({ ...message, tries, notBeforeMs, lastReason: result.reason })
      return [
        { kind: 'command-noted', cmdId, note: noteOf(retried) },
        waitingEvent(cmdId, 'retrying', `retrying: ${result.reason}`, step.moment),
      ]
    }
    case 'unsent':
      return []
    case 'unknown':
      return openDoubt(step, message, at, result.code)
  }
}

function writeResult(
  step: Step,
  { cmdId, at, attempt }: Attempt,
  message: OutgoingMessage,
  changes: readonly Change[],
  result: AttemptResult,
): void {
  const unwritten = unwrittenName(cmdId, at, attempt)
  if (step.state.doubt.unwritten.has(unwritten)) putUnwritten(step, unwritten, message, at)
  const reference = result.kind === 'accepted' ? result.reference : undefined
  const onSettled = { kind: 'result-written', unwritten, reference, isAnswer: true } as const
  step.write(changes, { mayWaitMs: resultWaitMs, onSettled, crashPoint: 'result-journaled' })
}

export function resultWritten(step: Step, unwritten: string, reference: number | undefined, isAnswer: boolean): void {
  removeUnwritten(step, unwritten)
  if (isAnswer) step.emit({ kind: 'reference-known', reference })
}

function continueAfter(step: Step, message: OutgoingMessage, sim: SendingSim, result: AttemptResult): void {
  switch (result.kind) {
    case 'accepted':
      if (message.outcome === undefined) {
        submitNext(step, sim, message)
        return
      }
      resetFailures(step, sim)
      if (message.outcome === 'sent') step.emit({ kind: 'message-sent', message })
      end(step, message)
      break
    case 'refused':
      if (message.outcome !== undefined) end(step, message)
      else {
        if (result.again === 'sim') pauseLane(step, sim, result.retryAfterMs)
        wait(step, result.again === 'sim' ? released(message) : message)
      }
      break
    case 'unsent':
      if (message.isCancelled) break
      if (isLate(step, message)) expire(step, message)
      else {
        pauseLane(step, sim, unsentPauseMs, longestUnsentPauseMs)
        wait(step, released(message))
      }
      break
    case 'unknown':
  }
  finishSending(step, sim, message)
}

/** Releases the message for another SIM, unless a part may have been sent. */
function released(message: OutgoingMessage): OutgoingMessage {
  return hasBegun(message) ? message : withoutPlan(message)
}

function wait(step: Step, message: OutgoingMessage): void {
  // A distrusted message stays in doubt, even if this part has a result.
  if (message.isDistrusted) step.put(message)
  else enqueue(step, { ...message, phase: 'waiting' })
}

/**
 * Returns false if no further part of the message may be sent, because the sender is stopping or the journal is
 * distrusted.
 */
function mayContinue({ state }: Step, { cmdId, isDistrusted }: OutgoingMessage): boolean {
  return !state.isStopped && !isDistrusted && !state.unconfirmed.has(cmdId)
}

function isLate({ moment: { stamp } }: Step, { deadlineMs }: OutgoingMessage): boolean {
  return stamp.trusted && stamp.wallMs >= deadlineMs
}

/**
 * A RESULT may wait at most this long, so that it can be written together with the COMMIT of the next message. The time
 * is short, because a part without a RESULT is in doubt if the process ends. A modem needs about this time to send its
 * prompt.
 */
const resultWaitMs = 4
/** Without this pause, the sender would make a hundred attempts per second with a modem that accepts nothing. */
const unsentPauseMs = 1000
/**
 * Even after many failures, the pause is not longer than this, because the cause of the failure is on this machine and
 * may disappear at any moment.
 */
const longestUnsentPauseMs = 60_000
