import type { Statements } from '../store/database.ts'

export interface SamplesAsked {
  readonly accountId: string
  readonly deviceId: string
  readonly from: Date
  /** Exclusive. */
  readonly to: Date
  readonly most: number
}

/**
 * Reads the last sample of each time interval, oldest first. Each is one index lookup, so a week costs the same as a
 * minute, and the samples in between are not read.
 */
export async function readSamples(
  statements: Statements,
  { accountId, deviceId, from, to, most }: SamplesAsked,
): Promise<{ readonly at: Date; readonly sample: unknown }[]> {
  return await statements.$queryRaw`
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
    ORDER BY sampled.at`
}
