import type { Statements } from '../store/database.ts'

/**
 * Changes the name of a device and the names of its SIM slots. Null keeps the name of the device; a slot with a null
 * name loses it. Returns 0 when the account has no such device.
 *
 * Locks one row. It is one statement, so that concurrent changes of different slots are all kept.
 */
export function writeNames(
  statements: Statements,
  { accountId, deviceId }: { readonly accountId: string; readonly deviceId: string },
  { name, simNames, now }: ChangedNames,
): Promise<number> {
  return statements.$executeRaw`
    UPDATE devices SET name = coalesce(${name}::text, name), updated_at = ${now},
      sim_names = jsonb_strip_nulls(sim_names || ${JSON.stringify(simNames)}::jsonb)
    WHERE id = ${deviceId} AND account_id = ${accountId} AND deleted_at IS NULL`
}

interface ChangedNames {
  readonly name: string | null
  readonly simNames: Readonly<Record<string, string | null>>
  readonly now: Date
}
