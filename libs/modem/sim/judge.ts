import type { SubmitOutcome } from '../src/send/submit.ts'
import type { SubmitCall } from './calls.ts'
import type { DriverWorld } from './world.ts'

/** Returns the broken guarantees, or an empty list. Compares the results with the ledger of the network. */
export function judgeDriver(world: DriverWorld): string[] {
  return [
    ...world.submits.flatMap((call) => judgeSubmit(call, world)),
    ...judgeLedger(world),
    ...judgeEnds(world),
    ...judgeInbox(world),
    ...judgeBounds(world),
    ...judgePin(world),
    ...judgeSecondPort(world),
    ...(world.schedule.answersLost ? judgeRecovery(world) : []),
  ]
}

function judgeSubmit(call: SubmitCall, { ledger, schedule }: DriverWorld): string[] {
  const problems: string[] = []
  const say = (problem: string) =>
    problems.push(`${call.text}: ${problem}; the outcome was ${JSON.stringify(call.outcome)}`)
  const accepted = ledger.filter((entry) => entry.text === call.text)
  if (accepted.length > 1) say(`was sent ${accepted.length} times`)
  if (accepted.length > 0 && !call.committed) say('was sent before the hook returned "go"')
  if (call.results.length !== 1 || call.results[0] !== call.outcome)
    say(`afterResult was called ${call.results.length} times`)
  const { outcome } = call
  if (outcome === undefined) return problems
  if (contradicts(outcome, accepted.length > 0)) say(accepted.length > 0 ? 'was accepted' : 'was never accepted')
  if (outcome.kind === 'accepted' && !outcome.duplicate && outcome.messageReference !== accepted[0]?.messageReference) {
    say(`has the reference ${accepted[0]?.messageReference}`)
  }
  for (const late of call.late) {
    if (outcome.kind !== 'unknown') say('had a late result, although its outcome was already known')
    if ((late.kind === 'accepted') !== accepted.length > 0) say(`had the late result ${late.kind}`)
  }
  if (call.late.length > 1) say(`had ${call.late.length} late results`)
  if (schedule.calm && !isPeaceful(call)) say('should have been accepted')
  return problems
}

function judgeLedger({ ledger, submits }: DriverWorld): string[] {
  const unasked = ledger.filter(({ text }) => !submits.some((call) => call.text === text))
  return unasked.map(({ text, data }) => `${text ?? data} was sent without a request`)
}

/**
 * Without faults, a message may stay unaccepted for only two reasons: the modem has just been switched on, or the
 * result of the message cannot be trusted, because it may be a line of a message text.
 */
function isPeaceful({ outcome, mayBeText }: SubmitCall): boolean {
  switch (outcome?.kind) {
    case 'unknown':
      return outcome.why === 'ambiguous-code' && mayBeText
    case 'refused':
      return outcome.error.class === 'registration'
    default:
      return true
  }
}

function contradicts(outcome: SubmitOutcome, accepted: boolean): boolean {
  switch (outcome.kind) {
    case 'accepted':
      return !accepted
    case 'refused':
    case 'not-sent':
      return accepted
    case 'unknown':
      return false
  }
}

function judgeEnds({ submits, otherCalls, clock }: DriverWorld): string[] {
  return [...submits, ...otherCalls].flatMap((call) => {
    if (call.failure !== undefined) return [`${call.what} rejected: ${String(call.failure)}`]
    const tookMs = (call.endedAtMs ?? clock.nowMs()) - call.atMs
    const limitMs = callLimitMs + (call.ahead + 1) * (call.what === 'submit' ? submitLimitMs : otherLimitMs)
    if (call.endedAtMs === undefined) return [`${call.what} at ${call.atMs} has no result`]
    return tookMs > limitMs ? [`${call.what} at ${call.atMs} took ${tookMs} ms`] : []
  })
}

/**
 * The longest time that a call may wait for other work, such as a hanging listing, a resynchronisation or setup. The
 * time spent waiting for calls of the same kind is not included.
 */
const callLimitMs = 400_000
/** The time limit for one submission: prompt, hook, result, end of the answer, and resynchronisation. */
const submitLimitMs = 180_000
const otherLimitMs = 120_000

function judgeInbox(world: DriverWorld): string[] {
  const { injected, journal, schedule, unreadable, reports, ledger } = world
  const problems: string[] = []
  if (schedule.pin === 'none') {
    for (const text of injected)
      if (!journal.has(text)) problems.push(`${text}: was delivered to the modem and never read`)
  }
  for (const text of journal.keys()) if (!injected.includes(text)) problems.push(`${text}: was read but never sent`)
  for (const pdu of unreadable) problems.push(`unreadable: ${pdu}`)
  for (const report of reports) {
    if (report.kind !== 'status-report') continue
    const { messageReference } = report.report
    if (!ledger.some((entry) => entry.messageReference === messageReference)) {
      problems.push(`a report for ${messageReference}, which was never sent`)
    }
  }
  return problems
}

function judgeBounds(world: DriverWorld): string[] {
  const problems: string[] = []
  // Each call and each background task has at most one command in the queue.
  const mostQueued = world.otherCalls.length + 8
  if (world.mostQueued > mostQueued) problems.push(`${world.mostQueued} commands in the queue`)
  return problems
}

function judgeRecovery({ recovery }: DriverWorld): string[] {
  const problems = recovery.recoveriesMs
    .filter((ms) => ms > longestRecoveryMs)
    .map((ms) => `recovered ${ms} ms after the first output of the modem`)
  if (recovery.disturbed > 0) problems.push(`wrote ${recovery.disturbed} times to a modem that was sending`)
  if (recovery.isPending) problems.push('never recovered after the first output of the modem')
  return problems
}

/**
 * When a modem starts to accept commands again, it sends some output. After that output, driver and modem must be in
 * step again within this time.
 */
const longestRecoveryMs = 5_000

/** Checks that the driver does not use the second port to send, delete or configure anything. */
function judgeSecondPort({ writtenOnSecondPort, schedule }: DriverWorld): string[] {
  const forbidden =
    schedule.secondPort === 'own-memories' ? /CMG[SDWC]|CMSS|CNMI|CFUN|CPIN=/ : /CMG[SDWC]|CMSS|CNMI|CFUN|CPIN=|CPMS=/
  return writtenOnSecondPort
    .filter((text) => forbidden.test(text))
    .map((text) => `wrote ${JSON.stringify(text)} to the second port`)
}

function judgePin({ triesAtPinEntries, pinRefusals }: DriverWorld): string[] {
  const problems: string[] = []
  if (triesAtPinEntries.some((tries) => tries <= 1)) problems.push('the last try of the PIN was used')
  if (pinRefusals > 1) problems.push(`a PIN was refused ${pinRefusals} times`)
  return problems
}
