import type { SubmitOutcome } from '../src/submit.ts'
import type { SubmitCall, World } from './world.ts'

/** What went wrong, in words; empty when every promise was kept. The ledger of the network is the truth. */
export function judge(world: World): string[] {
  return [
    ...world.submits.flatMap((call) => judgeSubmit(call, world)),
    ...judgeLedger(world),
    ...judgeEnds(world),
    ...judgeInbox(world),
    ...judgeBounds(world),
    ...judgePin(world),
  ]
}

function judgeSubmit(call: SubmitCall, { ledger, schedule }: World): string[] {
  const problems: string[] = []
  const say = (problem: string) =>
    problems.push(`${call.text}: ${problem}; the outcome was ${JSON.stringify(call.outcome)}`)
  const accepted = ledger.filter((entry) => entry.text === call.text)
  if (accepted.length > 1) say(`was sent ${accepted.length} times`)
  if (accepted.length > 0 && !call.committed) say('was sent without the word of its owner')
  if (call.told.length !== 1 || call.told[0] !== call.outcome) say(`afterResult was told ${call.told.length} times`)
  const { outcome } = call
  if (outcome === undefined) return problems
  if (contradicts(outcome, accepted.length > 0)) say(accepted.length > 0 ? 'was accepted' : 'was never accepted')
  if (outcome.kind === 'accepted' && !outcome.duplicate && outcome.messageReference !== accepted[0]?.messageReference) {
    say(`has the reference ${accepted[0]?.messageReference}`)
  }
  for (const late of call.late) {
    if (outcome.kind !== 'unknown') say('had a late result without having been unknown')
    if ((late.kind === 'accepted') !== accepted.length > 0) say(`had the late result ${late.kind}`)
  }
  if (call.late.length > 1) say(`had ${call.late.length} late results`)
  if (schedule.calm && !isPeaceful(call)) say('should have been accepted')
  return problems
}

function judgeLedger({ ledger, submits }: World): string[] {
  const unasked = ledger.filter(({ text }) => !submits.some((call) => call.text === text))
  return unasked.map(({ text, data }) => `${text ?? data} was sent, and nobody asked for it`)
}

/**
 * Where nothing goes wrong, all that can be in the way is a modem that has just been switched on, and a result that may be a
 * line of somebody's text: it is not believed.
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

function judgeEnds({ submits, otherCalls, clock }: World): string[] {
  return [...submits, ...otherCalls].flatMap((call) => {
    if (call.failure !== undefined) return [`${call.what} rejected: ${String(call.failure)}`]
    const tookMs = (call.endedAtMs ?? clock.nowMs()) - call.atMs
    const limitMs = callLimitMs + (call.ahead + 1) * (call.what === 'submit' ? submitLimitMs : otherLimitMs)
    if (call.endedAtMs === undefined) return [`${call.what} at ${call.atMs} never ended`]
    return tookMs > limitMs ? [`${call.what} at ${call.atMs} took ${tookMs} ms`] : []
  })
}

/** What a call may have to wait for beside its own kind: a listing that hangs, getting in step, setting up. */
const callLimitMs = 400_000
/** Prompt, owner, result, end of the answer, and getting in step. */
const submitLimitMs = 180_000
const otherLimitMs = 120_000

function judgeInbox(world: World): string[] {
  const { injected, journal, schedule, unreadable, reports, ledger } = world
  const problems: string[] = []
  if (schedule.pin === 'none') {
    for (const text of injected) if (!journal.has(text)) problems.push(`${text}: was sent to the modem and never read`)
  }
  for (const text of journal.keys()) if (!injected.includes(text)) problems.push(`${text}: was read and never sent`)
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

function judgeBounds(world: World): string[] {
  const problems: string[] = []
  // Each call asks one thing at a time, and so does what goes on by itself.
  const mostQueued = world.otherCalls.length + 8
  if (world.mostQueued > mostQueued) problems.push(`${world.mostQueued} commands in the queue`)
  return problems
}

function judgePin({ triesAtPinEntries, pinRefusals, schedule }: World): string[] {
  const problems: string[] = []
  // Who allows entering it unseen takes that risk.
  const atLastTry = triesAtPinEntries.some((tries) => tries <= 1)
  if (atLastTry && !schedule.modemOptions.enterPinUnseen) problems.push('the last try of the PIN was used')
  if (pinRefusals > 1) problems.push(`a PIN was refused ${pinRefusals} times`)
  return problems
}
