// Measures how long it takes to drop a day of log entries that has expired for all accounts, while other entries are
// written:
//
//   node apps/relay/bench/bench-retention.ts [--rows 1000000] [--stray 600000]
//
// Prints when no query finds the entries any more and no lock is held, and when the files are deleted. The baseline is
// the deletion of expired entries one by one, as for accounts with a shorter retention. Then measures how long entries
// wait while the next partition is made and the default partition has `stray` entries of another day.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openLog } from '@smsgw/daemon/log/log'
import { Client, type Pool } from 'pg'
import { deleteOldLogs, keepLogPartitions } from '../src/logs/log-retention-statement.ts'
import { connectDatabase } from '../src/store/database.ts'
import { withBenchDatabase } from './bench-database.ts'
import { median, print } from './load/figures.ts'

const DAY_MS = 86_400_000
const ROWS_AT_ONCE = 500_000
/** Rows of the baseline. */
const DELETED = 20_000

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, stray: { type: 'string', default: '600000' } },
})
const rows = Number(values.rows)
const stray = Number(values.stray)
const log = openLog('warn', process.stderr)

await withBenchDatabase(async ({ url, pool }) => {
  const database = connectDatabase({ url, connections: 1 })
  await pool.query(`INSERT INTO accounts (id, username, password_hash) VALUES ('a', 'a', '')`)
  const day = new Date(`${await firstDay(pool)}T00:00:00Z`)
  const keep = (days: number) => keepLogPartitions({ url, log, now: new Date(day.getTime() + days * DAY_MS) })
  // Pretends that the table is large, because a small table would be divided into weeks instead of days.
  await pool.query(`UPDATE pg_class SET reltuples = $1 WHERE relname = 'logs_initial'`, [2_000_000])
  await keep(0)
  // Drops the first partition, and creates a partition for each day in which entries are written.
  await keep(30.5)
  await fill(pool, day)
  const begin = performance.now()
  for (let deleted = 0; deleted < DELETED; )
    deleted += await deleteOldLogs(database, 'a', new Date(day.getTime() + DAY_MS), 1000)
  const perSecond = (DELETED / (performance.now() - begin)) * 1000
  print('baseline: entries deleted one by one', `${perSecond.toFixed()}/s`)
  print(`the same for a day of ${rows} entries`, `${(rows / perSecond).toFixed()} s`)
  const gone = whenGone(url, day)
  const startedMs = performance.now()
  const title = `day of ${rows} entries dropped, files deleted`
  await whileWriting(pool, new Date(day.getTime() + 30.5 * DAY_MS), title, () => keep(31.1))
  print('no entry found and no lock held after', `${((await gone) - startedMs).toFixed()} ms`)
  const { rows: left } = await pool.query('SELECT count(*)::int AS count FROM logs WHERE created_at < $1', [
    new Date(day.getTime() + DAY_MS),
  ])
  print('entries of this day that are left', `${left[0]?.count}`)
  await fillDefault(pool, new Date(day.getTime() + 300 * DAY_MS))
  const nextTitle = `next partition made beside ${stray} stray entries`
  // The existing partitions end in two days, so one is made for a future week.
  await whileWriting(pool, new Date(day.getTime() + 31.5 * DAY_MS), nextTitle, () => keep(39.1))
  await database.$disconnect()
})

/** Returns the first day after the partition that the migration has made from the existing table. */
async function firstDay(pool: Pool): Promise<string> {
  const { rows } = await pool.query(
    `SELECT substring(pg_get_expr(relpartbound, oid) FROM 'TO [(]''(.{10})') AS day FROM pg_class
     WHERE relname = 'logs_initial'`,
  )
  return rows[0]?.day
}

async function fill(pool: Pool, day: Date): Promise<void> {
  for (let from = 0; from < rows; from += ROWS_AT_ONCE)
    await pool.query(
      `INSERT INTO logs (account_id, device_id, created_at, module, priority, message, context)
       SELECT 'a', 'd' || n % 1000, $1::timestamptz + n * interval '1 day' / $2::int, 'messages', 'INFO',
         'message sent in one part', '{"code":"38"}'
       FROM generate_series($3::int, least($3::int + $4::int, $2::int) - 1) n`,
      [day, rows, from, ROWS_AT_ONCE],
    )
  await pool.query('CHECKPOINT')
}

/** Stores entries of a day without a partition, as a wrong clock does. */
async function fillDefault(pool: Pool, at: Date): Promise<void> {
  await pool.query(
    `INSERT INTO logs (account_id, device_id, created_at, module, priority, message, context)
     SELECT 'a', 'd' || n % 1000, $1, 'messages', 'INFO', 'message sent in one part', '{"code":"38"}'
     FROM generate_series(1, $2::int) n`,
    [at, stray],
  )
  await pool.query('CHECKPOINT')
}

/** Returns when a query finds no entry of this day. The query waits for locks, so none is held at that moment. */
async function whenGone(url: string, day: Date): Promise<number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  for (;;) {
    const { rowCount } = await client.query('SELECT FROM logs WHERE created_at >= $1 AND created_at < $2 LIMIT 1', [
      day,
      new Date(day.getTime() + DAY_MS),
    ])
    if (rowCount === 0) break
    await sleep(5)
  }
  const atMs = performance.now()
  await client.end()
  return atMs
}

/** Prints how long the work takes, and how long entries wait that are written meanwhile. */
async function whileWriting(pool: Pool, at: Date, title: string, work: () => Promise<void>): Promise<void> {
  const writing = writeEntries(pool, at)
  const start = performance.now()
  await work()
  print(title, `${(performance.now() - start).toFixed()} ms`)
  const waits = await writing.stop()
  print(
    'entries written meanwhile',
    `median ${median(waits).toFixed(1)} ms`,
    `longest ${Math.max(...waits).toFixed(1)} ms`,
  )
}

/** Writes one entry after the other. `stop` returns how long each took, in milliseconds. */
function writeEntries(pool: Pool, createdAt: Date) {
  let isStopped = false
  const waits: number[] = []
  const writing = (async () => {
    while (!isStopped) {
      const start = performance.now()
      await pool.query(
        `INSERT INTO logs (account_id, created_at, module, priority, message) VALUES ('a', $1, '', 'INFO', '')`,
        [createdAt],
      )
      waits.push(performance.now() - start)
    }
  })()
  return {
    async stop() {
      isStopped = true
      await writing
      return waits
    },
  }
}
