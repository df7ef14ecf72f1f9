import type { Statements } from '../../store/database.ts'

/**
 * Ends the pause of a failing receiver, so that one delivery is tried now. Must be called when a user requests a
 * delivery, because then the user has probably fixed the receiver or is testing it. Locks one row by its key.
 */
export async function endPause(statements: Statements, webhookKey: bigint): Promise<void> {
  await statements.$executeRaw`
    UPDATE webhooks SET paused_until = NULL WHERE key = ${webhookKey} AND paused_until IS NOT NULL`
}
