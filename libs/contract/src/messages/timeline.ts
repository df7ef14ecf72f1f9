import { z } from 'zod'
import { resourceId } from '../fields/ids.ts'
import { utcTime } from '../fields/times.ts'
import { deliveryProblemCode, deliveryProblemValues, newCodes } from '../webhooks/delivery-problem-members.ts'
import { webhookEvents } from '../webhooks/webhook-event.ts'
import { agentFailureCodes, relayFailureCodes } from './failure-code.ts'
import { causeAdviceCodes } from './network-cause.ts'
import { networkCause } from './network-cause-members.ts'

const timelineKinds = [
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
  'part-report',
  'sent',
  'delivered',
  'failed',
  'cancelled',
  'in-doubt',
  'waiting',
  'webhook-attempt',
] as const

/** The code of the advice in an entry. If the cause has no code, the advice about it has no code either. */
export const adviceCodes = [
  ...new Set([...agentFailureCodes, ...relayFailureCodes]),
  'outcome_unknown',
  'report_pending',
  'report_failed_permanently',
  'report_gave_up',
  ...causeAdviceCodes,
] as const

const timelineEntry = z
  .strictObject({
    at: utcTime,
    kind: z.enum(timelineKinds),
    recipient: z.string().optional().meta({ description: 'Phone number of the recipient' }),
    part: z
      .strictObject({
        index: z.int().min(1).meta({ description: 'Counted from 1' }),
        total: z.int().min(1),
        reference: z
          .int()
          .min(0)
          .max(255)
          .optional()
          .meta({ description: 'TP-MR, which identifies the part in delivery reports' }),
      })
      .optional(),
    code: z.string().optional().meta({ description: 'Code from the network, the modem or the device, unchanged' }),
    cause: networkCause.optional(),
    text: z.string().meta({ description: 'Description of the step' }),
    until: utcTime.optional().meta({ description: 'Latest time at which a `waiting` step ends' }),
    advice: z.string().optional().meta({ description: 'Recommended action' }),
    adviceCode: z.enum(adviceCodes).optional().meta({
      description: 'Stable code of `advice`. If the advice is from a device, present only when `cause` is known',
    }),
    simNumber: z.int().min(1).max(64).optional().meta({ description: 'SIM that sent the message, in a `sent` step' }),
    webhook: z
      .strictObject({
        webhookId: resourceId,
        deliveryId: z.string(),
        event: z.enum(webhookEvents),
        httpStatus: z.int().optional(),
        error: z.string().optional(),
        errorCode: deliveryProblemCode.optional().meta({ description: `Stable code of \`error\`. ${newCodes}` }),
        errorValues: deliveryProblemValues.optional().meta({ description: 'Values that belong to `errorCode`' }),
      })
      .optional(),
  })
  .meta({ id: 'TimelineEntry' })

export const timeline = z.strictObject({ id: resourceId, entries: z.array(timelineEntry) }).meta({ id: 'Timeline' })

export type AdviceCode = (typeof adviceCodes)[number]
export type TimelineKind = (typeof timelineKinds)[number]
export type TimelineEntry = z.output<typeof timelineEntry>
export type Timeline = z.output<typeof timeline>
