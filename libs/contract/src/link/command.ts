// Commands from the relay to an agent. A command may be repeated, because the agent executes each id only once.
import { z } from 'zod'
import { readEncryptedField } from '../messages/encrypted-field.ts'
import { onUncertain } from '../messages/message.ts'

/** The id of a `send` command is the permanent id that the relay has given to the recipient. */
export const commandId = z.string().min(1).max(64)
const time = z.iso.datetime({ offset: true })

const textContent = z.object({ text: z.string().min(1).max(65_535) })
/** Data in base64, encrypted if `isEncrypted` is true. */
const data = z.union([
  z.base64(),
  z.string().refine((text) => readEncryptedField(text).ok, 'must be base64 or encrypted'),
])
const dataContent = z.object({ data, port: z.int().min(1).max(65_535) })

/** Sends a message to one number. The agent acknowledges the command after it is in the journal. */
const sendCommand = z.object({
  kind: z.literal('send'),
  cmdId: commandId,
  messageId: z.string().min(1).max(36),
  /** The number as the relay stores it: in clear, encrypted if `isEncrypted` is true, or the alias of a number. */
  phoneNumber: z.string().min(1).max(512),
  content: z.union([textContent, dataContent]),
  isEncrypted: z.boolean().default(false),
  /** The SIM, counted from 1. If absent, the agent chooses a SIM according to the settings of the account. */
  simNumber: z.int().min(1).max(64).optional(),
  withDeliveryReport: z.boolean(),
  priority: z.int().min(-128).max(127),
  /** The time at which the API accepted the message. Messages of equal priority are sent in the order of this time. */
  acceptedAt: time,
  validUntil: time.optional(),
  onUncertain: onUncertain.default('resolve'),
})

/**
 * Cancels a send if none of its parts was passed to a modem yet. If the cancel arrives before the send, the message is
 * not sent.
 */
const cancelCommand = z.object({ kind: z.literal('cancel'), cmdId: commandId })

/** Reads the memories of all SIMs again. Only phones support a range, because modems store few messages. */
const sweepCommand = z.object({
  kind: z.literal('sweep'),
  cmdId: commandId,
  since: z.iso.datetime().optional(),
  until: z.iso.datetime().optional(),
})

/**
 * Sends a USSD code or reply. Not written to the journal, because after a restart of the agent the caller does not wait
 * for the answer any more.
 */
const ussdCommand = z.object({
  kind: z.literal('ussd'),
  cmdId: commandId,
  code: z.string().min(1).max(182),
  simNumber: z.int().min(1).max(64).optional(),
  sessionId: z.string().min(1).max(64).optional(),
})

/** Runs all diagnostics of the agent. Not written to the journal. */
const examineCommand = z.object({ kind: z.literal('examine'), cmdId: commandId })

const simNumber = z.int().min(1).max(64)

/**
 * Enters the PIN of a locked SIM. Written neither to the journal nor to the log. Only for agents with the capability
 * `modem-commands`.
 */
const pinCommand = z.object({
  kind: z.literal('enter-pin'),
  cmdId: commandId,
  simNumber,
  pin: z.string().regex(/^\d{4,8}$/),
  /**
   * True if the agent also saves the PIN on its machine when the SIM accepts the PIN. Older agents ignore this member.
   */
  save: z.boolean().optional(),
})

/** Resets a modem. Not written to the journal. Only for agents with the capability `modem-commands`. */
const restartCommand = z.object({ kind: z.literal('restart-modem'), cmdId: commandId, simNumber })

export const command = z.discriminatedUnion('kind', [
  sendCommand,
  cancelCommand,
  sweepCommand,
  ussdCommand,
  examineCommand,
  pinCommand,
  restartCommand,
])

/** Returns a unique key of a command. Its id is not unique, because a cancel has the id of its send. */
export function commandKey({ kind, cmdId }: Pick<Command, 'kind' | 'cmdId'>): string {
  return `${kind}:${cmdId}`
}

/** Messages with at least this priority ignore limits, pauses and work hours, and may use the reserved credit. */
export const urgentPriority = 100

export type Command = z.infer<typeof command>
export type SendCommand = z.infer<typeof sendCommand>
