import { type AliasKey, aliasKey } from '@smsgw/contract/link/event'
import { readEncryptedField } from '@smsgw/contract/messages/encrypted-field'
import { z } from 'zod'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import type { Statements } from '../store/database.ts'

/**
 * The largest number of keys per device. An agent has one key for each key of its account, so an agent with more keys
 * is faulty.
 */
const MOST_KEYS = 32

/**
 * Adds keys of aliases to the keys of their device. The newest key is last. An id always names the same key, so its
 * encrypted form is replaced only if the owner needs another version of the account's key to decrypt it. The caller
 * must have locked the device.
 */
export async function storeAliasKeys(
  statements: Statements,
  { deviceId, accountId }: Pick<AgentConnection, 'deviceId' | 'accountId'>,
  reported: readonly AliasKey[],
): Promise<void> {
  const where = { id: deviceId, accountId }
  const device = await statements.device.findUnique({ where, select: { aliasKeys: true } })
  if (device === null) return
  const before = aliasKeysOf(device)
  const after = reported.reduce(withKey, before)
  if (after === before) return
  await statements.device.update({
    where,
    data: { aliasKeys: after.slice(-MOST_KEYS) },
    select: { id: true },
  })
}

function withKey(keys: readonly AliasKey[], key: AliasKey): readonly AliasKey[] {
  const known = keys.find(({ id }) => id === key.id)
  if (known !== undefined && versionOf(known) === versionOf(key)) return keys
  return [...keys.filter((one) => one !== known), key]
}

/** The version of the account's key. Undefined for a key in a form that this release does not know. */
function versionOf({ key }: AliasKey): number | undefined {
  const read = readEncryptedField(key)
  return read.ok && read.field.kind === 'public-key' ? read.field.keyVersion : undefined
}

export function aliasKeysOf({ aliasKeys }: { readonly aliasKeys: unknown }): readonly AliasKey[] {
  return z.array(storedKey).parse(aliasKeys)
}

/** Relays of earlier releases stored keys in any form. */
const storedKey = z.object({ id: aliasKey.shape.id, key: z.string() })
