import type { MessageState } from '@smsgw/client/openapi'
import { z } from 'zod'

/** Members that several tools have in common. */

export const phoneNumber = z
  .string()
  .min(1)
  .max(128)
  .describe(
    'Phone number in international format, for example +447400123456, a short code, for example 72727, or the alias of a hidden number',
  )

export const cursor = z.string().max(2_000).optional().describe('nextCursor of the previous page')

export const limit = (most: number, initial: number) =>
  z.int().min(1).max(most).default(initial).describe(`Number of items, at most ${most}`)

export const waitingOutput = z
  .object({ reason: z.string(), message: z.string(), until: z.string().optional() })
  .describe('Why the message is not sent yet')

const recipient = z.object({
  phoneNumber: z.string(),
  state: z.string(),
  error: z.string().optional().describe('Why the message failed, or why it is waiting'),
})

/** A sent message without its text. */
export const messageSummary = {
  id: z.string(),
  state: z.string().describe('Pending, Processed, Sent, Delivered, Failed, Cancelling or Cancelled'),
  createdAt: z.string(),
  recipients: z.array(recipient),
  waiting: waitingOutput.optional(),
}

export function summaryOf({ id, state, states, recipients, waiting: reason }: MessageState) {
  return {
    id,
    state,
    createdAt: states.Pending,
    recipients: recipients.map(({ phoneNumber: number, state: reached, error }) => ({
      phoneNumber: number,
      state: reached,
      ...(error !== undefined && { error }),
    })),
    ...(reason !== undefined && { waiting: reason }),
  }
}
