// SQL for rows whose times are at equal intervals within the last days.
import type { BenchOwner } from '../bench-relays.ts'

/** Less than the retention of the relay, which would otherwise delete rows while they are read. */
const DAYS = 20
const DAY_MS = 24 * 60 * 60_000

/**
 * The parameters of `TIMED_ROWS`: the account, the device, the time of row 0, and the milliseconds between two rows,
 * which are at most a second. The last two parameters are the first and the last key.
 */
export function rowParameters({ accountId, deviceId }: BenchOwner, rows: number): readonly unknown[] {
  const apartMs = Math.min(1_000, (DAYS * DAY_MS) / rows)
  return [accountId, deviceId, new Date(Date.now() - rows * apartMs), apartMs]
}

/** Rows with the key `n` and the time `at`, of the account $1 and the device $2. */
export const TIMED_ROWS = `
  (SELECT $1::text AS account_id, $2::text AS device_id, n, $3::timestamptz + n * $4::float8 * interval '1 ms' AS at
    FROM generate_series($5::bigint, $6::bigint) n) AS timed`

/** Consecutive rows have different numbers. After this many rows, the numbers repeat in the same order. */
export const NUMBERS = 900_000
export const NUMBER_OF_ROW = `'+4915112' || (100000 + (n * 7919) % ${NUMBERS})`

/** Creates a function that returns ids like `newTimedId`. Their random part comes from a hash of the seed. */
export const TIMED_ID = `
  CREATE OR REPLACE FUNCTION pg_temp.timed_id(at timestamptz, seed text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT translate(substr(encode(int8send((extract(epoch FROM at) * 1000)::bigint << 22), 'base64'), 1, 7),
      'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
      '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz') || substr(md5(seed), 1, 14)
  $$`
