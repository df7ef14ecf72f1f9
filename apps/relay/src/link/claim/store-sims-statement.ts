import type { SimCard } from '@smsgw/contract/link/event'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { storableText } from '../../store/storable.ts'

/**
 * Replaces the SIM slots of a device. A slot that is missing from the report is deleted. A card that has become
 * unreadable keeps its last known number, because the events of messages for this SIM contain the number. The caller
 * holds the lock of the device.
 */
export async function storeSims(
  statements: RawStatements,
  deviceId: string,
  sims: readonly SimCard[],
  now: Date,
): Promise<void> {
  await statements.$executeRaw`WITH ${storedSims(deviceId, sims, now)} SELECT FROM stored_sims`
}

/**
 * Returns the tables of a `WITH` clause that do the same as part of another statement. When `isWanted` is false,
 * nothing is written.
 */
export function storedSims(
  deviceId: string,
  sims: readonly SimCard[],
  now: Date,
  isWanted = Prisma.sql`true`,
): Prisma.Sql {
  const slots = [...new Map(sims.map((sim) => [sim.simNumber, sim])).values()]
  const text = (value: string | undefined) => (value === undefined ? null : storableText(value))
  return Prisma.sql`
    reported AS (
      SELECT * FROM unnest(
        ${slots.map(({ simNumber }) => simNumber)}::int[], ${slots.map(({ state }) => storableText(state))}::text[],
        ${slots.map(({ phoneNumber }) => text(phoneNumber))}::text[],
        ${slots.map(({ carrierName }) => text(carrierName))}::text[],
        ${slots.map(({ iccid }) => text(iccid))}::text[], ${slots.map(({ signal }) => signal ?? null)}::int[],
        ${slots.map(({ isEmulated }) => isEmulated === true)}::bool[]
      ) AS sim (sim_number, state, phone_number, carrier_name, iccid, signal, is_emulated)
    ),
    gone AS (
      DELETE FROM sim_cards WHERE device_id = ${deviceId} AND sim_number NOT IN (SELECT sim_number FROM reported)
        AND ${isWanted}
    ),
    stored_sims AS (
      INSERT INTO sim_cards
        (device_id, sim_number, state, phone_number, carrier_name, iccid, signal, is_emulated, updated_at)
      SELECT ${deviceId}, sim_number, state, phone_number, carrier_name, iccid, signal, is_emulated, ${now}::timestamptz
      FROM reported WHERE ${isWanted}
      ON CONFLICT (device_id, sim_number) DO UPDATE SET state = excluded.state,
        phone_number = CASE WHEN excluded.phone_number IS NULL AND excluded.iccid IS NULL
          AND excluded.state IN ('absent', 'locked', 'puk', 'failed') THEN sim_cards.phone_number
          ELSE excluded.phone_number END,
        carrier_name = excluded.carrier_name, iccid = excluded.iccid, signal = excluded.signal,
        is_emulated = excluded.is_emulated, updated_at = excluded.updated_at
      RETURNING sim_number
    )`
}
