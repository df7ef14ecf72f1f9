import {
  adviceOfCause,
  causeOfNetworkCode,
  type NetworkCause,
  reportCode,
} from '@smsgw/contract/messages/network-cause'
import type { AdviceCode, TimelineEntry, TimelineKind } from '@smsgw/contract/messages/timeline'
import type { Waiting } from '@smsgw/contract/messages/waiting'
import type { WebhookEventName } from '@smsgw/contract/webhooks/webhook-event'
import { decisionWords } from '../messages/approval/decide-message.ts'
import { networkCauseOf } from '../messages/network-cause-of-error.ts'
import type { Part } from '../store/generated/client.ts'
import { attemptError } from '../webhooks/delivery-problem.ts'
import type { AttemptFacts, RecipientFacts, TimelineFacts } from './read-timeline.ts'
import { ADVICE_IN_DOUBT, adviceOnFailure, adviceOnReport } from './timeline-advice.ts'

/** Returns the entries by time. Entries with the same time are ordered by cause and effect. */
export function timelineEntries(facts: TimelineFacts): TimelineEntry[] {
  const steps = [
    ...acceptance(facts),
    ...facts.recipients.flatMap((recipient) => stepsOf(recipient, facts, facts.waiting.get(recipient.cmdId))),
    ...facts.attempts.map(attempted),
  ]
  const { createdAt } = facts.message
  return steps
    .map((step) => ({ ...step, at: step.at > createdAt ? step.at : createdAt }))
    .sort((a, b) => a.at.getTime() - b.at.getTime() || CAUSES.indexOf(a.kind) - CAUSES.indexOf(b.kind))
    .map(({ at, code, cause, until, advice, adviceCode, simNumber, ...rest }) => ({
      at: at.toISOString(),
      ...rest,
      ...(code != null && { code }),
      ...(cause !== undefined && { cause }),
      ...(until !== undefined && { until }),
      ...(advice != null && { advice }),
      ...(adviceCode !== undefined && { adviceCode }),
      ...(simNumber != null && { simNumber }),
    }))
}

interface Step extends Pick<TimelineEntry, 'kind' | 'recipient' | 'part' | 'text' | 'webhook'> {
  readonly at: Date
  readonly code?: string | null | undefined
  readonly cause?: NetworkCause | undefined
  readonly advice?: string | null | undefined
  readonly until?: string | undefined
  readonly adviceCode?: AdviceCode | undefined
  readonly simNumber?: number | null
}

const CAUSES: readonly TimelineKind[] = [
  'accepted',
  'scheduled',
  'held',
  'approved',
  'refused',
  'dispatched',
  'processed',
  'part-submitted',
  'part-accepted',
  'part-refused',
  'in-doubt',
  'waiting',
  'sent',
  'part-report',
  'delivered',
  'failed',
  'cancelled',
  'webhook-attempt',
]

function acceptance({ message, recipients }: TimelineFacts): Step[] {
  const { createdAt: at, scheduleAt, approvalUntil } = message
  const whom = recipients.length === 1 ? 'one recipient' : `${recipients.length} recipients`
  const accepted: Step = { at, kind: 'accepted', text: `accepted for ${whom} and stored` }
  const scheduled: Step[] =
    scheduleAt === null ? [] : [{ at, kind: 'scheduled', text: `scheduled for ${scheduleAt.toISOString()}` }]
  if (approvalUntil === null) return [accepted, ...scheduled]
  const until = approvalUntil.toISOString()
  return [
    accepted,
    ...scheduled,
    { at, kind: 'held', until, text: `held for approval until ${until}` },
    ...decision(message),
  ]
}

function decision({ approval, approvalAt: at, approvalBy }: TimelineFacts['message']): Step[] {
  if (at === null || (approval !== 'approved' && approval !== 'refused')) return []
  return [{ at, kind: approval, text: `${decisionWords[approval]} by ${approvalBy ?? 'an unknown user'}` }]
}

function stepsOf(
  facts: RecipientFacts,
  { deviceName, message: { createdAt: acceptedAt } }: TimelineFacts,
  waiting: Waiting | undefined,
): Step[] {
  const recipient = facts.phoneNumber
  const device = deviceName === undefined ? 'the device' : `the device ${deviceName}`
  const sim = facts.usedSimNumber === null ? '' : ` with SIM ${facts.usedSimNumber}`
  const { error } = facts
  const reached: readonly [kind: TimelineKind, at: Date | null, text: string, more?: Partial<Step>][] = [
    ['dispatched', earlier(facts.dispatchedAt, facts.processedAt), `sent to ${device}`],
    ['processed', facts.processedAt, `queued on ${device}`],
    ['sent', facts.sentAt, `sent${sim}${facts.possibleDuplicate ? TWICE : ''}`, { simNumber: facts.usedSimNumber }],
    ['delivered', facts.deliveredAt, 'delivered to the recipient'],
    [
      'failed',
      facts.failedAt,
      error ?? 'reported as failed, but a later report showed that it had not failed',
      failure(facts),
    ],
    ['cancelled', facts.cancelledAt, 'cancelled before any part was sent'],
  ]
  const steps = reached.flatMap(([kind, at, text, more]): Step[] =>
    at === null ? [] : [{ at, kind, recipient, text, ...more }],
  )
  const parts = facts.parts.flatMap((part) => stepsOfPart(part, facts))
  // Places the waiting reason after the last known step. A message that is not yet due waits since it was accepted.
  const isEarly = waiting?.reason === 'approval' || waiting?.reason === 'scheduled'
  const since = isEarly ? acceptedAt : facts.dueAt
  const at = [...steps, ...parts].map((step) => step.at).reduce((a, b) => (a > b ? a : b), since)
  return [...steps, ...parts, ...(waiting === undefined ? [] : [waitingStep(facts, waiting, at)])]
}

function waitingStep(facts: RecipientFacts, waiting: Waiting, at: Date): Step {
  const { phoneNumber: recipient, error } = facts
  const { reason: code, until, message } = waiting
  if (code === 'outcome_unknown')
    return { at, kind: 'in-doubt', recipient, code, until, text: error ?? message, ...ADVICE_IN_DOUBT }
  if (code !== 'retry' || error === null) return { at, kind: 'waiting', recipient, code, until, text: message }
  return {
    at,
    kind: 'waiting',
    recipient,
    code,
    cause: networkCauseOf(facts).cause,
    until,
    text: `${message} ${error}`,
  }
}

/** A fast device may report the command before the relay has stored that it was sent. */
function earlier(at: Date | null, next: Date | null): Date | null {
  return at !== null && next !== null && next < at ? next : at
}

const TWICE = '; sent again after an unknown outcome, so it may arrive twice'

function failure({ state, error, errorCode }: RecipientFacts): Partial<Step> {
  if (state !== 'Failed') return {}
  const { cause } = networkCauseOf({ error, errorCode })
  return { code: errorCode, cause, ...adviceOnFailure(errorCode) }
}

function stepsOfPart(facts: Part, recipient: RecipientFacts): Step[] {
  const { index, reference, result, resultCode: code, submittedAt, reportStatus, reportText, reportedAt } = facts
  const total = Math.max(recipient.partsCount ?? 1, index)
  const about = { recipient: recipient.phoneNumber, part: { index, total, ...(reference !== null && { reference }) } }
  const name = total === 1 ? 'the message' : `part ${index} of ${total}`
  const steps: Step[] = []
  if (submittedAt !== null) steps.push({ at: submittedAt, ...about, code, ...resultOf(facts, result, name) })
  if (reportedAt !== null && reportStatus !== null)
    steps.push({
      at: reportedAt,
      kind: 'part-report',
      ...about,
      code: reportCode(reportStatus),
      cause: causeOfNetworkCode(reportCode(reportStatus)),
      text: `delivery report for ${name}: ${reportText ?? 'no text'}`,
      ...adviceOnReport(reportStatus),
    })
  return steps
}

function resultOf(
  { resultCode, resultWords, resultAdvice }: Part,
  result: string,
  name: string,
): Pick<Step, 'kind' | 'text' | 'cause' | 'advice' | 'adviceCode'> {
  switch (result) {
    case 'accepted':
      return { kind: 'part-accepted', text: `the network accepted ${name}` }
    case 'refused': {
      const cause = resultCode === null ? undefined : causeOfNetworkCode(resultCode)
      return {
        kind: 'part-refused',
        cause,
        text: resultWords ?? `the network or the modem refused ${name}`,
        ...(resultAdvice !== null && { advice: resultAdvice, adviceCode: cause && adviceOfCause(cause) }),
      }
    }
    default:
      return { kind: 'part-submitted', text: `${name} was handed to the modem; its outcome is unknown` }
  }
}

function attempted({ webhookId, url, deliveryId, event, recipient, attempt }: AttemptFacts): Step {
  const { startedAt: at, status, error } = attempt
  const outcome = status === null ? (error ?? 'no response') : `HTTP ${status}`
  return {
    at,
    kind: 'webhook-attempt',
    recipient,
    text: `${event} sent to ${new URL(url).host}: ${outcome}`,
    webhook: {
      webhookId,
      deliveryId,
      event: event as WebhookEventName,
      ...(status !== null && { httpStatus: status }),
      ...(error !== null && attemptError(error)),
    },
  }
}
