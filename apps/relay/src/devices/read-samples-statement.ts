import { z } from 'zod'
import type { Statements } from '../store/database.ts'
import { Prisma } from '../store/generated/client.ts'
import { readRows } from '../store/read-rows.ts'

export interface SampleQuery {
  readonly accountId: string
  readonly deviceId: string
  readonly from: Date
  /** The end of the period; samples at this time are excluded. */
  readonly to: Date
  readonly most: number
}

/**
 * Reads the last sample of each time interval, oldest first. Each returned sample costs one index look-up, and all
 * other samples are skipped. So with the same number of intervals, a week takes as long to read as a minute. Takes no
 * locks.
 */
export async function readSamples(
  statements: Statements,
  { accountId, deviceId, from, to, most }: SampleQuery,
): Promise<z.output<typeof sampleRow>[]> {
  return await readRows(
    statements,
    sampleRow,
    Prisma.sql`
    SELECT sampled.at, sampled.sample
    FROM devices d
    CROSS JOIN generate_series(0, ${most}::int - 1) AS number
    CROSS JOIN LATERAL (
      SELECT at, sample FROM telemetry
      WHERE device_id = d.id
        AND at >= ${from}::timestamptz + number * (${to}::timestamptz - ${from}::timestamptz) / ${most}::int
        AND at < ${from}::timestamptz + (number + 1) * (${to}::timestamptz - ${from}::timestamptz) / ${most}::int
      ORDER BY at DESC
      LIMIT 1
    ) AS sampled
    WHERE d.id = ${deviceId} AND d.account_id = ${accountId}
    ORDER BY sampled.at`,
  )
}

const sampleRow = z.object({ at: z.date(), sample: z.unknown() })
