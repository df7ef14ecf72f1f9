import type { Clock } from '../clock.ts'
import type { Database, Statements } from '../store/database.ts'
import { NO_PASSWORD } from './password-hash.ts'

/** Rows of one statement: some hundred milliseconds on an SD card, far from the statement timeout. */
const BATCH = 2_000

/**
 * Removes an account with everything of it. Nobody gets in any more from the first statement on; then what may be large
 * goes in batches, so that neither locks nor one endless statement disturb the others. Broken off, it is simply repeated.
 */
export async function removeAccount(database: Database, clock: Clock, accountId: string): Promise<void> {
  await database.$transaction(async (statements) => {
    await statements.account.update({
      where: { id: accountId },
      data: { passwordHash: NO_PASSWORD, credentialVersion: { increment: 1 } },
    })
    await statements.tokenFamily.deleteMany({ where: { accountId } })
    await statements.session.deleteMany({ where: { accountId } })
    // Nothing is written down for those who watched it from here on, so that what was can be removed for good.
    await statements.liveAccount.deleteMany({ where: { accountId } })
    await statements.enrolmentToken.deleteMany({ where: { accountId } })
    await statements.pairingCode.deleteMany({ where: { accountId } })
    await statements.device.updateMany({ where: { accountId }, data: { deletedAt: clock.now() } })
  })
  for (const removeSome of large) while ((await removeSome(database, accountId)) > 0);
  await database.account.delete({ where: { id: accountId } })
}

const large: readonly ((statements: Statements, accountId: string) => Promise<number>)[] = [
  (statements, accountId) => statements.$executeRaw`
    DELETE FROM messages WHERE key IN (SELECT key FROM messages WHERE account_id = ${accountId} LIMIT ${BATCH})`,
  (statements, accountId) => statements.$executeRaw`
    DELETE FROM inbox WHERE key IN (SELECT key FROM inbox WHERE account_id = ${accountId} LIMIT ${BATCH})`,
  (statements, accountId) => statements.$executeRaw`
    DELETE FROM webhook_deliveries WHERE key IN
      (SELECT d.key FROM webhook_deliveries d JOIN webhooks w ON w.key = d.webhook_key
        WHERE w.account_id = ${accountId} LIMIT ${BATCH})`,
  (statements, accountId) => statements.$executeRaw`
    DELETE FROM telemetry WHERE key IN
      (SELECT t.key FROM telemetry t JOIN devices d ON d.id = t.device_id WHERE d.account_id = ${accountId} LIMIT ${BATCH})`,
  (statements, accountId) => statements.$executeRaw`
    DELETE FROM logs WHERE id IN (SELECT id FROM logs WHERE account_id = ${accountId} LIMIT ${BATCH})`,
  (statements, accountId) => statements.$executeRaw`
    DELETE FROM live_events WHERE id IN (SELECT id FROM live_events WHERE account_id = ${accountId} LIMIT ${BATCH})`,
]
