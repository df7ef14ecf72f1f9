import { z } from 'zod'
import { Prisma } from '../store/generated/client.ts'
import type { RawStatements } from '../store/raw-statements.ts'
import { readRows } from '../store/read-rows.ts'
import type { OwnSettings } from './merge-settings.ts'

/** Returns the settings that these accounts have changed. An account that does not exist has no row. */
export function readOwnSettings(
  statements: RawStatements,
  accountIds: readonly string[],
): Promise<z.output<typeof settingsRow>[]> {
  return readRows(
    statements,
    settingsRow,
    Prisma.sql`
      SELECT id, settings AS own, settings_version AS version, signing_key_sealed AS "signingKeySealed"
      FROM accounts WHERE id = ANY (${[...accountIds]})`,
  )
}

const settingsRow = z.object({
  id: z.string(),
  own: z.custom<OwnSettings>(),
  version: z.int(),
  signingKeySealed: z.string().nullable(),
})
