import { z } from 'zod'
import type { Statements } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import type { DeviceOnRoster } from './choose-device.ts'

/** A device with its queue length in the database. */
export interface StoredDevice extends Omit<DeviceOnRoster, 'queue'> {
  readonly accountId: string
  /** The number of unfinished recipients, counted up to the limit of the queue. */
  readonly waiting: number
}

/**
 * Reads all devices of accounts with their slots and queue lengths. Takes no locks. For 20 000 devices, it takes 0.2 s
 * in the database, and 60 to 80 ms of CPU time in the relay.
 */
export async function readRosters(
  statements: Statements,
  accountIds: readonly string[],
  queueLimit: number,
): Promise<ReadonlyMap<string, readonly StoredDevice[]>> {
  const rows = await readRows(
    statements,
    deviceRow,
    Prisma.sql`
    SELECT ${deviceColumns(queueLimit)} FROM devices d ${deviceJoins}
    WHERE d.account_id = ANY(${[...accountIds]}::text[]) AND d.deleted_at IS NULL
    ORDER BY d.created_at, d.id`,
  )
  return Map.groupBy(storedDevices(rows), ({ accountId }) => accountId)
}

/**
 * The columns of devices `d`, which need `deviceJoins`. A queue is counted only up to its limit, so a longer queue does
 * not take more time (0.1 ms per thousand rows of the index `recipients_unfinished`). Lists are returned as text, and
 * times in milliseconds, see `storedDevices`.
 */
export function deviceColumns(queueLimit: number): Prisma.Sql {
  return Prisma.sql`
    d.account_id AS "accountId", d.id,
    1000 * date_part('epoch', greatest(d.last_seen, l.renewed_at)) AS "lastSeenMs",
    1000 * date_part('epoch', coalesce(l.lease_until, d.lease_until)) AS "leaseUntilMs",
    CASE WHEN d.conn_epoch = 0 THEN NULL WHEN d.capabilities_epoch = d.conn_epoch THEN array_to_json(d.capabilities)::text
      ELSE '[]' END AS capabilities,
    array_to_json(s.slots)::text AS slots, array_to_json(s.ready)::text AS "readySlots",
    array_to_json(s.emulated)::text AS "emulatedSlots",
    (SELECT count(*)::int FROM (
      SELECT FROM recipients WHERE device_id = d.id AND state IN ('Pending', 'Cancelling', 'Processed')
      LIMIT ${queueLimit}) AS queue) AS waiting`
}

export const deviceJoins = Prisma.sql`
  LEFT JOIN relays l ON l.id = d.relay_id
  CROSS JOIN LATERAL (
    SELECT array_agg(sim_number) AS slots, array_agg(sim_number) FILTER (WHERE state = 'ready') AS ready,
      array_agg(sim_number) FILTER (WHERE is_emulated) AS emulated
    FROM sim_cards WHERE device_id = d.id) AS s`

export const deviceRow = z.object({
  accountId: z.string(),
  id: z.string(),
  lastSeenMs: z.number().nullable(),
  leaseUntilMs: z.number().nullable(),
  capabilities: z.string().nullable(),
  slots: z.string().nullable(),
  readySlots: z.string().nullable(),
  emulatedSlots: z.string().nullable(),
  waiting: z.int(),
})

/**
 * Parses each list and time only once, because thousands of devices have the same slots and capabilities, and the times
 * of their relay.
 */
export function storedDevices(rows: readonly z.output<typeof deviceRow>[]): StoredDevice[] {
  const lists = new Map<string, readonly unknown[]>()
  const list = <Member>(text: string | null) =>
    text === null ? [] : (once(lists, text, JSON.parse) as readonly Member[])
  const times = new Map<number, Date>()
  const time = (ms: number | null) => (ms === null ? null : once(times, ms, dateOf))
  return rows.map((row) => ({
    accountId: row.accountId,
    id: row.id,
    lastSeen: time(row.lastSeenMs),
    leaseUntil: time(row.leaseUntilMs),
    capabilities: row.capabilities === null ? null : list<string>(row.capabilities),
    slots: list<number>(row.slots),
    readySlots: list<number>(row.readySlots),
    emulatedSlots: list<number>(row.emulatedSlots),
    waiting: row.waiting,
  }))
}

function once<Key, Value>(known: Map<Key, Value>, key: Key, make: (key: Key) => Value): Value {
  const value = known.get(key) ?? make(key)
  known.set(key, value)
  return value
}

/** After the year 2038, the product may be slightly too small. */
function dateOf(ms: number): Date {
  return new Date(Math.round(ms))
}
