import { z } from 'zod'

const id = z.string().min(1).max(64)

/** What one relay tells the others, and itself, after a commit. Any of them may be lost: whoever acts on them also looks. */
export const wakeHint = z.discriminatedUnion('kind', [
  /** Something waits for the device. */
  z.object({ kind: z.literal('wake'), deviceId: id }),
  /** Agents of the account are to be told the new settings. */
  z.object({ kind: z.literal('settings-changed'), accountId: id }),
  /** Its agent is to be cut off. */
  z.object({ kind: z.literal('device-revoked'), deviceId: id }),
  /** The device has a newer connection: older ones are to be closed. */
  z.object({ kind: z.literal('superseded'), deviceId: id, connEpoch: z.int(), bootId: id }),
  z.object({ kind: z.literal('token-revoked'), familyId: id }),
  /** A device has answered what it was asked. */
  z.object({ kind: z.literal('answered'), cmdId: id }),
])

export type WakeHint = z.infer<typeof wakeHint>
