import { Prisma } from '../store/generated/client.ts'

/**
 * Returns an SQL condition that is true if a device has only virtual modems, and its account has a real modem on
 * another device that is not deleted. For a device with a real modem, the condition costs one lookup in the index of
 * its SIMs. Takes no locks.
 */
export function isBesideRealModem(deviceId: Prisma.Sql, accountId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(EXISTS (SELECT FROM sim_cards WHERE device_id = ${deviceId} AND is_emulated)
    AND NOT EXISTS (SELECT FROM sim_cards WHERE device_id = ${deviceId} AND NOT is_emulated)
    AND EXISTS (SELECT FROM devices real JOIN sim_cards s ON s.device_id = real.id
      WHERE real.account_id = ${accountId} AND real.deleted_at IS NULL AND NOT s.is_emulated))`
}
