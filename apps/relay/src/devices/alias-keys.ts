import { type AliasKey, aliasKey } from '@smsgw/contract/link/event'
import { readEncryptedField } from '@smsgw/contract/messages/encrypted-field'
import { z } from 'zod'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import { Prisma } from '../store/generated/client.ts'
import type { RawStatements } from '../store/raw-statements.ts'
import { readRows } from '../store/read-rows.ts'

/**
 * The largest number of keys per device. An agent needs one alias key for each key of its account. An agent with more
 * alias keys than this is faulty.
 */
const MOST_KEYS = 32

/**
 * Adds alias keys to the alias keys of their device. The newest key is last. The key with a given id never changes. Its
 * stored, encrypted form is replaced only if the new form is encrypted with another version of the account's key. The
 * caller must have locked the device.
 */
export async function storeAliasKeys(
  statements: RawStatements,
  { deviceId, accountId }: Pick<AgentConnection, 'deviceId' | 'accountId'>,
  reported: readonly AliasKey[],
): Promise<void> {
  const [device] = await readRows(
    statements,
    keysRow,
    Prisma.sql`SELECT alias_keys AS "aliasKeys" FROM devices WHERE id = ${deviceId} AND account_id = ${accountId}`,
  )
  if (device === undefined) return
  const before = aliasKeysOf(device)
  const after = reported.reduce(withKey, before)
  if (after === before) return
  const stored = JSON.stringify(after.slice(-MOST_KEYS))
  await statements.$executeRaw`
    UPDATE devices SET alias_keys = ${stored}::jsonb WHERE id = ${deviceId} AND account_id = ${accountId}`
}

const keysRow = z.object({ aliasKeys: z.unknown() })

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
