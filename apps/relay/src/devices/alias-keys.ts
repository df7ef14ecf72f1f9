import { type AliasKey, aliasKey } from '@smsgw/contract/link/event'
import { z } from 'zod'
import type { AgentConnection } from '../link/claim/agent-connection.ts'
import type { Statements } from '../store/database.ts'

/** An agent has one key for each key of its account, so more keys than this come from a broken agent. */
const MOST_KEYS = 100

/**
 * Adds a key of aliases to those of its device, or replaces the key with the same id. The newest key is last. The caller has locked
 * the device.
 */
export async function storeAliasKey(
  statements: Statements,
  { deviceId, accountId }: Pick<AgentConnection, 'deviceId' | 'accountId'>,
  key: AliasKey,
): Promise<void> {
  const where = { id: deviceId, accountId }
  const device = await statements.device.findUnique({ where, select: { aliasKeys: true } })
  if (device === null) return
  const others = aliasKeysOf(device).filter(({ id }) => id !== key.id)
  const aliasKeys = [...others, key].slice(-MOST_KEYS)
  await statements.device.update({ where, data: { aliasKeys }, select: { id: true } })
}

export function aliasKeysOf({ aliasKeys }: { readonly aliasKeys: unknown }): readonly AliasKey[] {
  return z.array(aliasKey).parse(aliasKeys)
}
