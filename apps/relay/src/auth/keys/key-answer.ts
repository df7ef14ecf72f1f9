import { type ApiKey, keyLimits } from '@smsgw/contract/access/api-key'
import type { Statements } from '../../store/database.ts'
import type { ApiKey as KeyRow } from '../../store/generated/client.ts'
import { keyStart } from './key-text.ts'

/** Returns the day for which recipients are counted: a day in UTC, as the date that the database stores. */
export function usageDay(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()))
}

/** Returns keys as the API shows them. Members that do not apply are left out. */
export async function keyAnswers(statements: Statements, keys: readonly KeyRow[], now: Date): Promise<ApiKey[]> {
  const usage = await statements.apiKeyUsage.findMany({
    where: { keyId: { in: keys.map(({ id }) => id) }, day: usageDay(now) },
  })
  const recipients = new Map(usage.map(({ keyId, recipients }) => [keyId, recipients]))
  return keys.map((key) => keyAnswer(key, recipients.get(key.id) ?? 0, now))
}

export function keyAnswer(key: KeyRow, recipientsToday: number, now: Date): ApiKey {
  const limits = keyLimits.parse(key.limits)
  const isOverlapping = key.previousUntil !== null && key.previousUntil > now
  return {
    id: key.id,
    name: key.name,
    prefix: keyStart(key.id),
    state: stateOf(key, now),
    scopes: key.scopes,
    limits,
    ...(limits.recipientsPerDay !== undefined && { recipientsToday }),
    createdAt: key.createdAt.toISOString(),
    ...(key.createdByKeyId !== null && { createdByKeyId: key.createdByKeyId }),
    ...timeOf('rotatedAt', key.rotatedAt),
    ...timeOf('previousValidUntil', isOverlapping ? key.previousUntil : null),
    ...timeOf('expiresAt', key.expiresAt),
    ...timeOf('revokedAt', key.revokedAt),
    ...timeOf('lastUsedAt', key.lastUsedAt),
    ...(key.lastUsedFrom !== null && { lastUsedFrom: key.lastUsedFrom }),
  }
}

function stateOf({ revokedAt, expiresAt }: KeyRow, now: Date): ApiKey['state'] {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active'
}

function timeOf<Name extends keyof ApiKey>(name: Name, time: Date | null): { [key in Name]?: string } {
  return time === null ? {} : ({ [name]: time.toISOString() } as { [key in Name]: string })
}
