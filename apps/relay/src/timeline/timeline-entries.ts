import type { TimelineEntry, TimelineKind } from '@smsgw/contract/timeline'
import type { WebhookEvent } from '@smsgw/contract/webhook-event'
import type { Part } from '../store/generated/client.ts'
import { ADVICE_IN_DOUBT, adviceOnFailure, adviceOnReport, reportCode } from './timeline-advice.ts'
import type { AttemptFacts, RecipientFacts, TimelineFacts } from './timeline-facts.ts'

/** What happened, in the order of time; what happened at one moment, in the order of causes. */
export function timelineEntries(facts: TimelineFacts): TimelineEntry[] {
  const steps = [
    ...acceptance(facts),
    ...facts.recipients.flatMap((recipient) => stepsOf(recipient, facts.deviceName)),
    ...facts.attempts.map(attempted),
  ]
  return steps
    .sort((a, b) => a.at.getTime() - b.at.getTime() || CAUSES.indexOf(a.kind) - CAUSES.indexOf(b.kind))
    .map(({ at, code, advice, ...rest }) => ({
      at: at.toISOString(),
      ...rest,
      ...(code != null && { code }),
      ...(advice != null && { advice }),
    }))
}

interface Step extends Pick<TimelineEntry, 'kind' | 'recipient' | 'part' | 'text' | 'webhook'> {
  readonly at: Date
  readonly code?: string | null | undefined
  readonly advice?: string | null | undefined
}

const CAUSES: readonly TimelineKind[] = [
  'accepted',
  'scheduled',
  'dispatched',
  'processed',
  'part-submitted',
  'part-accepted',
  'part-refused',
  'in-doubt',
  'sent',
  'part-report',
  'delivered',
  'failed',
  'cancelled',
  'webhook-attempt',
]

function acceptance({ message, recipients }: TimelineFacts): Step[] {
  const { createdAt: at, scheduleAt } = message
  const whom = recipients.length === 1 ? 'one recipient' : `${recipients.length} recipients`
  const accepted: Step = { at, kind: 'accepted', text: `accepted for ${whom}, and on disk` }
  if (scheduleAt === null) return [accepted]
  return [accepted, { at, kind: 'scheduled', text: `held back until ${scheduleAt.toISOString()}` }]
}

function stepsOf(facts: RecipientFacts, deviceName: string | undefined): Step[] {
  const recipient = facts.phoneNumber
  const device = deviceName === undefined ? 'the device' : `the device ${deviceName}`
  const sim = facts.usedSimNumber === null ? '' : ` by SIM ${facts.usedSimNumber}`
  const { error, errorCode } = facts
  const reached: readonly [kind: TimelineKind, at: Date | null, text: string, more?: Partial<Step>][] = [
    ['dispatched', facts.dispatchedAt, `given to ${device}`],
    ['processed', facts.processedAt, `${device} has it on disk, and answers for it`],
    ['sent', facts.sentAt, `the network has accepted it${sim}`],
    ['delivered', facts.deliveredAt, 'the recipient has it'],
    ['failed', facts.failedAt, error ?? 'it failed, and was corrected later', failure(facts)],
    ['cancelled', facts.cancelledAt, 'cancelled before anything of it was sent'],
  ]
  const steps = reached.flatMap(([kind, at, text, more]): Step[] =>
    at === null ? [] : [{ at, kind, recipient, text, ...more }],
  )
  const parts = facts.parts.flatMap((part) => stepsOfPart(part, facts))
  // Not over yet, and said to be in doubt or waiting: since the last that is known.
  if (facts.state === 'Processed' && error !== null) {
    const at = [...steps, ...parts].map((step) => step.at).reduce((a, b) => (a > b ? a : b), facts.dueAt)
    const isDoubt = errorCode === 'outcome_unknown'
    const advice = isDoubt ? ADVICE_IN_DOUBT : undefined
    parts.push({ at, kind: isDoubt ? 'in-doubt' : 'processed', recipient, code: errorCode, text: error, advice })
  }
  return [...steps, ...parts]
}

function failure({ state, errorCode }: RecipientFacts): Partial<Step> {
  return state === 'Failed' ? { code: errorCode, advice: adviceOnFailure(errorCode) } : {}
}

function stepsOfPart(facts: Part, recipient: RecipientFacts): Step[] {
  const { index, reference, result, resultCode: code, submittedAt, reportStatus, reportText, reportedAt } = facts
  const total = Math.max(recipient.partsCount ?? 1, index)
  const about = { recipient: recipient.phoneNumber, part: { index, total, ...(reference !== null && { reference }) } }
  const name = total === 1 ? 'it' : `part ${index} of ${total}`
  const steps: Step[] = []
  if (submittedAt !== null) steps.push({ at: submittedAt, ...about, code, ...resultOf(facts, result, name) })
  if (reportedAt !== null && reportStatus !== null)
    steps.push({
      at: reportedAt,
      kind: 'part-report',
      ...about,
      code: reportCode(reportStatus),
      text: `the network reports of ${name}: ${reportText ?? 'no words'}`,
      advice: adviceOnReport(reportStatus),
    })
  return steps
}

function resultOf(
  { resultWords, resultAdvice }: Part,
  result: string,
  name: string,
): Pick<Step, 'kind' | 'text' | 'advice'> {
  switch (result) {
    case 'accepted':
      return { kind: 'part-accepted', text: `the network has accepted ${name}` }
    case 'refused':
      return {
        kind: 'part-refused',
        text: resultWords ?? `network or modem refused ${name}`,
        advice: resultAdvice ?? undefined,
      }
    default:
      return { kind: 'part-submitted', text: `${name} was given to the modem, which has not said what became of it` }
  }
}

function attempted({ webhookId, url, deliveryId, event, recipient, attempt }: AttemptFacts): Step {
  const { startedAt: at, status, error } = attempt
  const outcome = status === null ? (error ?? 'no answer') : `it answered ${status}`
  return {
    at,
    kind: 'webhook-attempt',
    recipient,
    text: `${event} was told to ${new URL(url).host}: ${outcome}`,
    webhook: {
      webhookId,
      deliveryId,
      event: event as WebhookEvent,
      ...(status !== null && { httpStatus: status }),
      ...(error !== null && { error }),
    },
  }
}
