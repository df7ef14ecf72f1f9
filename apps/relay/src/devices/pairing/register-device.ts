import { withoutUnsafe } from '@smsgw/contract/fields/name-text'
import type { Clock } from '../../clock.ts'
import { newId, type Random } from '../../random.ts'
import type { Statements } from '../../store/database.ts'
import { storableText } from '../../store/storable.ts'

/** An agent that may join an account. */
export interface AdmittedAgent {
  readonly accountId: string
  /** Raw Ed25519 public key in base64. */
  readonly publicKey: string
  readonly name: string
}

export type DeviceRegistration =
  | { readonly ok: true; readonly deviceId: string; readonly accountId: string }
  /** The key belongs to a device of another account. */
  | { readonly ok: false; readonly reason: 'key-in-use' }

const LONGEST_NAME = 128

/** Creates the device of an agent. An agent that repeats the request with the same key gets the same device again. */
export async function registerDevice(
  statements: Statements,
  { accountId, publicKey, name }: AdmittedAgent,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<DeviceRegistration> {
  const known = await statements.device.findUnique({ where: { publicKey }, select: { id: true, accountId: true } })
  if (known !== null)
    return known.accountId === accountId
      ? { ok: true, deviceId: known.id, accountId }
      : { ok: false, reason: 'key-in-use' }
  const deviceId = newId(random)
  const now = clock.now()
  const shownName = storableText(withoutUnsafe(name).slice(0, LONGEST_NAME)) || 'Agent'
  const times = { createdAt: now, updatedAt: now, lastSeen: now }
  await statements.device.create({ data: { id: deviceId, accountId, publicKey, name: shownName, ...times } })
  return { ok: true, deviceId, accountId }
}
