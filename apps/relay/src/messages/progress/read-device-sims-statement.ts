import { z } from 'zod'
import { type OwnSettings, withDefaults } from '../../settings/merge-settings.ts'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRows } from '../../store/read-rows.ts'

export interface DeviceSims {
  readonly sims: readonly z.output<typeof sim>[]
  readonly selection: 'OSDefault' | 'RoundRobin' | 'Random'
}

/**
 * Reads the SIM slots of devices, and the account's rule for choosing a slot. Takes no locks and does not wait for
 * concurrent changes.
 */
export async function readDeviceSims(
  statements: RawStatements,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, DeviceSims>> {
  const devices = await readRows(
    statements,
    deviceRow,
    Prisma.sql`
      SELECT d.id, a.settings, coalesce(
        (SELECT json_agg(json_build_object('simNumber', sim_number, 'state', state, 'phoneNumber', phone_number))
          FROM sim_cards WHERE device_id = d.id), '[]') AS sims
      FROM devices d JOIN accounts a ON a.id = d.account_id
      WHERE d.id = ANY(${deviceIds}::text[])`,
  )
  return new Map(
    devices.map(({ id, settings, sims }) => [
      id,
      { sims, selection: withDefaults(settings).messages.sim_selection_mode },
    ]),
  )
}

const sim = z.object({ simNumber: z.int(), state: z.string(), phoneNumber: z.string().nullable() })
const deviceRow = z.object({ id: z.string(), settings: z.custom<OwnSettings>(), sims: z.array(sim) })
