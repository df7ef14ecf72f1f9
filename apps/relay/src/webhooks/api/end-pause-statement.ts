import type { Statements } from '../../store/database.ts'

/**
 * Ends the pause of a failing receiver, so that one delivery is tried now. To be called when a delivery was requested,
 * because the caller has then fixed the receiver or is testing it. Locks one row by its key.
 */
export async function endPause(statements: Statements, webhookKey: bigint): Promise<void> {
  await statements.$executeRaw`
    UPDATE webhooks SET paused_until = NULL WHERE key = ${webhookKey} AND paused_until IS NOT NULL`
}
