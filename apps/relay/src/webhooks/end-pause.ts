import type { Statements } from '../store/database.ts'

/**
 * A receiver that is left alone for its failures is tried again now, with one delivery: whoever asks for one has mended it,
 * or wants to see.
 */
export async function endPause(statements: Statements, webhookKey: bigint): Promise<void> {
  await statements.$executeRaw`
    UPDATE webhooks SET paused_until = NULL WHERE key = ${webhookKey} AND paused_until IS NOT NULL`
}
