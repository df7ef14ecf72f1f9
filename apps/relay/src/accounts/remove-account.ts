import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import { deleteAccountRows } from './delete-account-rows-statement.ts'
import { NO_PASSWORD } from './password-hash.ts'

/**
 * Removes an account and all its data. The first transaction ends all access. Then the rows in large tables are deleted
 * in batches, so that no long lock or statement disturbs other accounts. A removal that was interrupted can be
 * repeated.
 */
export async function removeAccount(database: Database, clock: Clock, accountId: string): Promise<void> {
  await database.$transaction(async (statements) => {
    await statements.account.update({
      where: { id: accountId },
      data: { passwordHash: NO_PASSWORD, credentialVersion: { increment: 1 } },
    })
    await statements.apiKey.deleteMany({ where: { accountId } })
    await statements.tokenFamily.deleteMany({ where: { accountId } })
    await statements.session.deleteMany({ where: { accountId } })
    await statements.pushSubscription.deleteMany({ where: { accountId } })
    await statements.recognisedLogin.deleteMany({ where: { accountId } })
    // Stops the recording of live events, so that no new rows appear while old rows are deleted.
    await statements.liveAccount.deleteMany({ where: { accountId } })
    await statements.enrolmentToken.deleteMany({ where: { accountId } })
    await statements.pairingCode.deleteMany({ where: { accountId } })
    // With a higher epoch, relays refuse the open connections of the account's agents.
    await statements.device.updateMany({
      where: { accountId },
      data: { deletedAt: clock.now(), connEpoch: { increment: 1 } },
    })
  })
  for (const deleteSome of deleteAccountRows) while ((await deleteSome(database, accountId)) > 0);
  await database.account.delete({ where: { id: accountId } })
}
