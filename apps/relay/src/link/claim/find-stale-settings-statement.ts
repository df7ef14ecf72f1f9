import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import { Prisma } from '../../store/generated/client.ts'
import { readRows } from '../../store/read-rows.ts'
import type { AgentConnection } from './agent-connection.ts'

interface AgentWithSettings {
  readonly connection: Pick<AgentConnection, 'accountId'> | undefined
  readonly settingsVersion: number
}

/** Returns the accounts of agents whose settings are outdated because a hint was lost. Takes no locks. */
export async function findStaleSettings(database: Database, agents: readonly AgentWithSettings[]): Promise<string[]> {
  const oldest = new Map<string, number>()
  for (const { connection, settingsVersion } of agents) {
    if (connection === undefined) continue
    const { accountId } = connection
    oldest.set(accountId, Math.min(settingsVersion, oldest.get(accountId) ?? settingsVersion))
  }
  const rows = await readRows(
    database,
    accountRow,
    Prisma.sql`
    SELECT a.id FROM unnest(${[...oldest.keys()]}::text[], ${[...oldest.values()]}::int[]) AS sent (id, version)
    JOIN accounts a ON a.id = sent.id AND a.settings_version > sent.version`,
  )
  return rows.map(({ id }) => id)
}

const accountRow = z.object({ id: z.string() })
