import type { Clock } from '../clock.ts'
import type { Database, Statements } from '../store/database.ts'
import { NO_PASSWORD } from './password-hash.ts'

/** Rows per statement: a few hundred milliseconds on an SD card, far below the statement timeout. */
const BATCH = 2_000

/**
 * Removes an account and all its data. The first transaction ends all access; then large tables are deleted in batches, so
 * that no long lock or statement disturbs other accounts. After an interruption, run it again.
 */
export async function removeAccount(database: Database, clock: Clock, accountId: string): Promise<void> {
  await database.$transaction(async (statements) => {
    await statements.account.update({
      where: { id: accountId },
      data: { passwordHash: NO_PASSWORD, credentialVersion: { increment: 1 } },
    })
    await statements.tokenFamily.deleteMany({ where: { accountId } })
    await statements.session.deleteMany({ where: { accountId } })
    await statements.recognisedLogin.deleteMany({ where: { accountId } })
    // Stops the recording of live events, so that no new rows appear while the old ones are deleted.
    await statements.liveAccount.deleteMany({ where: { accountId } })
    await statements.enrolmentToken.deleteMany({ where: { accountId } })
    await statements.pairingCode.deleteMany({ where: { accountId } })
    // A higher epoch fences the connections of the account's agents.
    await statements.device.updateMany({
      where: { accountId },
      data: { deletedAt: clock.now(), connEpoch: { increment: 1 } },
    })
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
