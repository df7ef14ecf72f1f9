import type { Statements } from '../../store/database.ts'

/**
 * Replaces the secret of a webhook and keeps the previous one until the given time.
 *
 * A single statement is used, so that the later of two concurrent rotations keeps the secret that the earlier rotation
 * has returned.
 */
export async function rotateSecret(
  statements: Statements,
  webhookKey: bigint,
  secretSealed: string,
  previousUntil: Date,
): Promise<void> {
  await statements.$executeRaw`
    UPDATE webhooks SET previous_secret_sealed = secret_sealed, previous_secret_until = ${previousUntil},
      secret_sealed = ${secretSealed}, updated_at = now()
    WHERE key = ${webhookKey}`
}
