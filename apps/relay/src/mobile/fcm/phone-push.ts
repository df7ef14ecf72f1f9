// Stores the push tokens of phones, and which phones have an event stream and therefore need no push messages.
import { LEASE_MS } from '../../link/claim/lease.ts'
import type { Statements } from '../../store/database.ts'
import type { SecretBox } from '../../store/secret-box.ts'

const PURPOSE = 'phone-push-token'

/**
 * Stores the token, which replaces an older one. An empty token removes it. Existing work is not announced, because a
 * phone reads its work after it has registered.
 */
export async function savePushToken(
  statements: Statements,
  box: Pick<SecretBox, 'seal'>,
  { deviceId, accountId, token, now }: { deviceId: string; accountId: string; token: string; now: Date },
): Promise<void> {
  if (token === '') {
    await statements.phonePush.deleteMany({ where: { deviceId } })
    return
  }
  const { settingsVersion } = await statements.account.findUniqueOrThrow({
    where: { id: accountId },
    select: { settingsVersion: true },
  })
  const renewed = { tokenSealed: box.seal(token, PURPOSE), attempts: 0, nextAttemptAt: now }
  await statements.phonePush.upsert({
    where: { deviceId },
    create: { deviceId, ...renewed, noticedUntil: now, settingsVersion },
    update: renewed,
  })
}

export function openPushToken(box: Pick<SecretBox, 'open'>, sealed: string): string {
  return box.open(sealed, PURPOSE)
}

/**
 * Records that these phones have an event stream. Each phone counts as streaming for `LEASE_MS` from now, so that it
 * can open a new stream when this one ends.
 */
export async function markStreaming(statements: Statements, deviceIds: readonly string[], now: Date): Promise<void> {
  await statements.phonePush.updateMany({
    where: { deviceId: { in: [...deviceIds] } },
    data: { streamsUntil: new Date(now.getTime() + LEASE_MS) },
  })
}
