import type { Statements } from '../store/database.ts'

/**
 * Changes the name of a device and the names of its SIM slots. A device whose new name is null keeps its old name. A
 * slot whose new name is null loses its name. Returns 0 if the account does not have the device.
 *
 * Locks one row. A single statement makes all changes, so that concurrent changes of different slots are all kept.
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
