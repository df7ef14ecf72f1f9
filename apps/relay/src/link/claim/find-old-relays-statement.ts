import { z } from 'zod'
import { Prisma } from '../../store/generated/client.ts'
import type { RawStatements } from '../../store/raw-statements.ts'
import { readRow } from '../../store/read-rows.ts'
import { PRESENCE_CLASS } from '../../webhooks/delivery/worker-presence.ts'

export interface RelayPresence {
  readonly relayId: string
  /** The number of the relay's delivery worker; undefined while it has none. */
  readonly worker: number | undefined
}

/**
 * Returns true while a relay of the previous release runs, or while a relay of this release starts. Takes no locks.
 * Reads only the list of locks in the memory of the server, and one row for each relay.
 */
export async function findOldRelays(statements: RawStatements, relay: RelayPresence): Promise<boolean> {
  const { hasOldRelays } = await readRow(
    statements,
    foundRow,
    Prisma.sql`SELECT ${oldRelayRuns(relay)} AS "hasOldRelays"`,
  )
  return hasOldRelays
}

const foundRow = z.object({ hasOldRelays: z.boolean() })

/** True while the delivery worker of another relay holds a lock on a number that no row contains. */
export function oldRelayRuns({ relayId, worker }: RelayPresence): Prisma.Sql {
  return Prisma.sql`EXISTS (
      SELECT FROM pg_locks
      WHERE locktype = 'advisory' AND classid = ${PRESENCE_CLASS}::bigint AND objsubid = 2 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND objid::bigint IS DISTINCT FROM ${worker ?? null}::bigint
        AND NOT EXISTS (SELECT FROM relays WHERE worker = objid::bigint AND id <> ${relayId}))`
}
