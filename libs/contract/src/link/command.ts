// What the relay asks of an agent. A command is idempotent by its id: asked twice, it is done once.
import { z } from 'zod'

/** Of a send it is the recipient's row at the relay; stable for ever. */
export const commandId = z.string().min(1).max(64)
const time = z.iso.datetime({ offset: true })

const textContent = z.object({ text: z.string().min(1).max(65_535) })
const dataContent = z.object({ data: z.base64().min(1).max(65_535), port: z.int().min(1).max(65_535) })

/** Send one message to one number. Journaled before it is acknowledged. */
const sendCommand = z.object({
  kind: z.literal('send'),
  cmdId: commandId,
  messageId: z.string().min(1).max(36),
  /** As stored at the relay; opaque when `isEncrypted`. */
  phoneNumber: z.string().min(1).max(512),
  content: z.union([textContent, dataContent]),
  isEncrypted: z.boolean().default(false),
  /** 1-based; absent: the device chooses by the account's settings. */
  simNumber: z.int().min(1).max(64).optional(),
  withDeliveryReport: z.boolean(),
  priority: z.int().min(-128).max(127),
  /** When the API accepted it: the order among messages of one priority. */
  acceptedAt: time,
  validUntil: time.optional(),
  /** What to do when it cannot be known whether a part went out. */
  onUncertain: z.enum(['resolve', 'resend']).default('resolve'),
})

/** Stop a send, unless its first part was handed to the modem. For a send that the agent has not seen it leaves a tombstone. */
const cancelCommand = z.object({ kind: z.literal('cancel'), cmdId: commandId })

/** Read the storages of all SIMs again. */
const sweepCommand = z.object({ kind: z.literal('sweep'), cmdId: commandId })

/** Ask the network something, or answer its question. Not journaled: nobody waits for it after a restart. */
const ussdCommand = z.object({
  kind: z.literal('ussd'),
  cmdId: commandId,
  code: z.string().min(1).max(182),
  simNumber: z.int().min(1).max(64).optional(),
  sessionId: z.string().min(1).max(64).optional(),
})

/** Look at everything that the agent needs, and say how it is. Not journaled either. */
const examineCommand = z.object({ kind: z.literal('examine'), cmdId: commandId })

export const command = z.discriminatedUnion('kind', [
  sendCommand,
  cancelCommand,
  sweepCommand,
  ussdCommand,
  examineCommand,
])

/** A cancel names the send that it stops, so the id alone does not tell them apart. */
export function commandKey({ kind, cmdId }: Pick<Command, 'kind' | 'cmdId'>): string {
  return `${kind}:${cmdId}`
}

/** From this priority on a message passes limits, pauses and work hours, and finds room kept for it on the way. */
export const urgentPriority = 100

export type Command = z.infer<typeof command>
export type SendCommand = z.infer<typeof sendCommand>
