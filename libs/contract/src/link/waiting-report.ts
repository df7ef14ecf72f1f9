// The messages that an agent cannot yet send, with the reasons. Each report replaces the previous report.
import { z } from 'zod'
import { type WaitingReason, waitingReasons } from '../messages/waiting.ts'
import { commandId } from './command.ts'

/**
 * The reason. Any text is valid, because a newer agent may have more reasons. Entries with an unknown reason are
 * ignored.
 */
const reason = z.string().min(1).max(64)
const until = z.iso.datetime({ offset: true }).optional()
const simNumber = z.int().min(1).max(64)

export const waitingReport = z.object({
  /** The SIMs that accept no messages. */
  sims: z.array(z.object({ simNumber, reason, until })).max(64),
  /** The reason why messages without a requested SIM have to wait. Absent if at least one SIM accepts such messages. */
  anySim: z.object({ reason, until, simNumber: simNumber.optional() }).optional(),
  /** Messages grouped by reason. Messages that only wait for earlier messages are not listed. */
  messages: z
    .array(
      z.object({
        reason,
        until,
        simNumber: simNumber.optional(),
        cmdIds: z.array(commandId).min(1).max(1_024),
      }),
    )
    .max(1_024),
})

export type WaitingReport = z.infer<typeof waitingReport>

export function isWaitingReason(value: string): value is WaitingReason {
  return (waitingReasons as readonly string[]).includes(value)
}
