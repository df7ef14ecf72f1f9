import { setTimeout as sleep } from 'node:timers/promises'
import { openLog } from '@smsgw/daemon/log/log'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { keepLogPartitions, makeLogPartitionsAtStart } from '../../logs/log-retention-statement.ts'
import { BufferedLogbook } from '../../logs/logbook.ts'
import { useTestDatabase } from '../../testing/test-database.ts'
import { missingPeriods } from './keep-partitions.ts'

const DAY_MS = 86_400_000
const store = useTestDatabase()
let client: Client
/**
 * Noon of the first day after the period of the first partition, which the migration has made from the existing table.
 */
let start: Date

beforeAll(async () => {
  client = new Client({ connectionString: store.url })
  await client.connect()
  const { rows } = await client.query(
    `SELECT substring(pg_get_expr(relpartbound, oid) FROM 'TO [(]''(.{10})') AS day FROM pg_class
     WHERE relname = 'logs_initial'`,
  )
  start = new Date(`${rows[0]?.day}T12:00:00Z`)
})

beforeEach(async () => {
  await store.database.account.deleteMany()
  for (const name of await days()) await client.query(`DROP TABLE ${name}`)
  const end = start.toISOString().slice(0, 10)
  await client.query(
    `CREATE TABLE IF NOT EXISTS logs_initial PARTITION OF logs FOR VALUES FROM (MINVALUE) TO ('${end}T00:00:00Z')`,
  )
  await setRows(2_000_000)
  await account('a1', {})
})

/** Sets the number of rows that ANALYZE would find. */
async function setRows(rows: number): Promise<void> {
  await client.query(`UPDATE pg_class SET reltuples = $1 WHERE relname = 'logs_initial'`, [rows])
}

afterAll(() => client.end())

const after = (days: number) => new Date(start.getTime() + days * DAY_MS)
const dayName = (days: number) => `logs_${after(days).toISOString().slice(0, 10).replaceAll('-', '')}`

async function account(id: string, settings: object): Promise<void> {
  await store.database.account.create({ data: { id, username: id, passwordHash: '', settings } })
}

/** Returns the partitions of days, without the first partition and the default partition. */
async function days(): Promise<string[]> {
  const { rows } = await client.query(
    `SELECT relname AS name FROM pg_class WHERE relispartition AND relkind = 'r' AND relname ~ '[0-9]$' ORDER BY name`,
  )
  return rows.map(({ name }) => name)
}

async function keep(now: Date, warnings: string[] = []): Promise<void> {
  const log = openLog('warn', { write: (line) => warnings.push(line) })
  await keepLogPartitions({ url: store.url, log, now, pauseMs: 1 })
}

async function write(createdAt: Date, accountId = 'a1'): Promise<void> {
  await store.database.logEntry.create({ data: { accountId, createdAt, module: '', priority: 'INFO', message: '' } })
}

/** Returns the partitions with rows. */
async function filled(): Promise<string[]> {
  const { rows } = await client.query('SELECT DISTINCT tableoid::regclass::text AS name FROM logs ORDER BY name')
  return rows.map(({ name }) => name)
}

test('makes the partitions of today and the next three days once, even if two relays do so at once', async () => {
  await Promise.all([keep(start), keep(start)])
  const made = [0, 1, 2, 3].map(dayName)
  expect(await days()).toEqual(made)
  await keep(start)
  expect(await days()).toEqual(made)
  await write(after(1))
  expect(await filled()).toEqual([dayName(1)])
})

test('makes partitions of a week for a small table', async () => {
  await setRows(-1)
  await keep(start)
  expect(await days()).toEqual([dayName(0)])
  await keep(after(3))
  expect(await days()).toEqual([dayName(0)])
  await keep(after(4))
  expect(await days()).toEqual([0, 7].map(dayName))
  await write(after(6))
  expect(await filled()).toEqual([dayName(0)])
})

test('stores entries of a day without partition, and moves them when the partition is made', async () => {
  await write(after(1))
  await write(after(100))
  expect(await filled()).toEqual(['logs_default'])
  await keep(start)
  expect(await filled()).toEqual([dayName(1), 'logs_default'])
  expect(await store.database.logEntry.count()).toBe(2)
})

test('drops only partitions that no account needs any more', async () => {
  await account('long', { logs: { lifetime_days: 33 } })
  await keep(start)
  await write(after(0))
  await write(after(0), 'long')
  await write(after(1), 'long')
  await keep(after(33.4))
  expect(await filled()).toEqual([dayName(0), dayName(1)])
  await keep(after(33.6))
  expect(await filled()).toEqual([dayName(1)])
  await store.database.account.delete({ where: { id: 'long' } })
  await keep(after(33.6))
  expect(await days()).toEqual([33, 34, 35, 36, 37].map(dayName))
})

test('does not drop a partition if an account that needs it was added while the lock was awaited', async () => {
  await keep(start)
  // Makes the partitions without drops, so that the drop is the first to wait for a lock.
  await makeLogPartitionsAtStart({ url: store.url, log: openLog('warn', { write: () => undefined }), now: after(40) })
  const mover = new Client({ connectionString: store.url })
  await mover.connect()
  try {
    await mover.query('BEGIN')
    await mover.query(
      `INSERT INTO accounts (id, username, password_hash, settings) VALUES ('late', 'late', '', '{"logs":{"lifetime_days":36500}}')`,
    )
    await mover.query(
      `INSERT INTO logs (account_id, created_at, module, priority, message) VALUES ('late', $1, '', 'INFO', '')`,
      [after(0)],
    )
    const kept = keep(after(40))
    const waiting = async () => {
      const { rows } = await client.query('SELECT FROM pg_locks WHERE NOT granted')
      return rows.length
    }
    await expect.poll(waiting, { interval: 5 }).toBeGreaterThan(0)
    await mover.query('COMMIT')
    await kept
  } finally {
    await mover.end()
  }
  expect(await filled()).toEqual([dayName(0)])
})

test('deletes all expired entries of the default partition, and no others', async () => {
  await keep(start)
  await client.query('DROP TABLE logs_initial')
  await client.query(
    `INSERT INTO logs (account_id, created_at, module, priority, message)
     SELECT 'a1', '2024-06-01', '', 'INFO', '' FROM generate_series(1, 60000)`,
  )
  await write(after(100))
  await keep(start)
  expect(await store.database.logEntry.findMany({ select: { createdAt: true } })).toEqual([{ createdAt: after(100) }])
})

test('the removal of an account deletes its entries in all partitions', async () => {
  await account('other', {})
  await keep(start)
  for (const days of [-20, 0, 1, 100]) for (const id of ['a1', 'other']) await write(after(days), id)
  await store.database.account.delete({ where: { id: 'other' } })
  expect((await store.database.logEntry.findMany()).map(({ accountId }) => accountId)).toEqual(['a1', 'a1', 'a1', 'a1'])
})

test('a long transaction prevents the drop, but other transactions keep reading and writing', async () => {
  await keep(start)
  const reader = new Client({ connectionString: store.url })
  await reader.connect()
  const warnings: string[] = []
  try {
    await reader.query('BEGIN; SELECT FROM logs')
    await Promise.all([keep(after(40), warnings), write(after(40))])
    expect(await store.database.logEntry.count()).toBe(1)
    expect(warnings).toEqual([expect.stringContaining('could not lock a table to change its partitions')])
    expect(await days()).toContain(dayName(0))
    await reader.query('COMMIT')
  } finally {
    await reader.end()
  }
  await keep(after(40), warnings)
  expect(warnings).toHaveLength(1)
  expect(await days()).not.toContain(dayName(0))
  expect(await store.database.logEntry.count()).toBe(1)
})

test('stores all entries that are written while their partition is made', async () => {
  await client.query(
    `INSERT INTO logs (account_id, created_at, module, priority, message)
     SELECT 'a1', $1, '', 'INFO', '' FROM generate_series(1, 20000)`,
    [after(0)],
  )
  let written = 20_000
  let isMade = false
  async function writing(): Promise<void> {
    while (!isMade) {
      await write(after(0))
      written += 1
    }
  }
  const writers = Promise.allSettled([writing(), writing(), writing()])
  try {
    // A busy machine may need several runs to get the locks.
    for (let runs = 0; runs < 20 && !(await days()).includes(dayName(0)); runs += 1) await keep(after(0))
  } finally {
    isMade = true
    await writers
  }
  expect((await writers).filter(({ status }) => status === 'rejected')).toEqual([])
  expect(await filled()).toEqual([dayName(0)])
  expect(await store.database.logEntry.count()).toBe(written)
})

/** Makes the search of the default partition long, with entries that were written while a clock was ahead. */
async function fillDefault(): Promise<void> {
  await client.query(
    `INSERT INTO logs (account_id, created_at, module, priority, message)
     SELECT 'a1', $1, '', 'INFO', 'an entry that was written while a clock was ahead' FROM generate_series(1, 20000)`,
    [after(100)],
  )
}

test('makes the partitions of all days, and moves their rows, although the default partition is large', async () => {
  await fillDefault()
  for (const day of [0, 1, 2]) await write(after(day))
  await keep(start)
  expect(await days()).toEqual([0, 1, 2, 3].map(dayName))
  expect(await filled()).toEqual([...[0, 1, 2].map(dayName), 'logs_default'])
  await keep(after(7))
  expect(await days()).toContain(dayName(10))
  // Days without a partition.
  for (const day of [5, 50]) await write(after(day))
  expect(await store.database.logEntry.count()).toBe(20_005)
})

test('an entry that is refused while its partition is made is stored afterwards', async () => {
  await fillDefault()
  await client.query(
    `ALTER TABLE logs_default ADD CONSTRAINT logs_default_excludes_20990101 CHECK (created_at < $$${after(2).toISOString()}$$) NOT VALID`,
  )
  const now = () => after(3)
  const lines: string[] = []
  const log = openLog('warn', { write: (line) => lines.push(line) })
  const logbook = new BufferedLogbook({ database: store.database, clock: { now }, log, lingerMs: 1, retryMs: 1 })
  logbook.write({ accountId: 'a1', module: '', priority: 'INFO', message: 'refused' })
  await logbook.drain()
  expect(await store.database.logEntry.count({ where: { message: 'refused' } })).toBe(0)
  // The relay that made the partition was killed, so the next one allows such rows again.
  await keep(start)
  await logbook.drain()
  expect(lines).toEqual([])
  expect(await store.database.logEntry.count({ where: { message: 'refused' } })).toBe(1)
})

test('allows entries again after a killed relay although another transaction uses the default partition', async () => {
  await client.query(`ALTER TABLE logs_default ADD CONSTRAINT logs_default_excludes_20990101 CHECK (false) NOT VALID`)
  const reader = new Client({ connectionString: store.url })
  await reader.connect()
  const warnings: string[] = []
  try {
    await reader.query('BEGIN; SELECT FROM logs_default')
    const kept = keep(start, warnings)
    // Longer than the wait for one lock.
    await sleep(400)
    await reader.query('COMMIT')
    await kept
  } finally {
    await reader.end()
  }
  expect(warnings).toEqual([])
  expect(await days()).toEqual([0, 1, 2, 3].map(dayName))
  await write(after(100))
})

test('makes other partitions if rows of today cannot be moved', async () => {
  await write(after(0))
  await client.query(`ALTER TABLE logs ADD CONSTRAINT of_another_program CHECK (message <> '') NOT VALID`)
  const warnings: string[] = []
  try {
    await keep(start, warnings)
  } finally {
    await client.query('ALTER TABLE logs DROP CONSTRAINT of_another_program')
  }
  expect(await days()).toEqual([1, 2, 3].map(dayName))
  expect(warnings).toEqual([expect.stringContaining('could not move rows from the default partition')])
  await keep(start)
  expect(await filled()).toEqual([dayName(0)])
})

test('makes partitions while autovacuum works on another partition', async () => {
  await client.query('BEGIN; LOCK TABLE ONLY logs_initial IN SHARE UPDATE EXCLUSIVE MODE')
  try {
    await keep(start)
  } finally {
    await client.query('ROLLBACK')
  }
  expect(await days()).toEqual([0, 1, 2, 3].map(dayName))
})

describe('at the start', () => {
  async function startAt(now: Date, url = store.url): Promise<object[]> {
    const lines: string[] = []
    const log = openLog('warn', { write: (line) => lines.push(line) })
    // The test fails by its time limit if a lock is tried again.
    await makeLogPartitionsAtStart({ url, log, now, pauseMs: 3_600_000 })
    return lines.map((line) => JSON.parse(line))
  }

  test('partitions are made, but none is dropped', async () => {
    await keep(start)
    expect(await startAt(after(40))).toEqual([])
    expect(await days()).toEqual([0, 1, 2, 3, 40, 41, 42, 43].map(dayName))
  })

  test('a lock of another transaction is tried once', async () => {
    await client.query('BEGIN; SELECT FROM logs')
    try {
      expect(await startAt(start)).toEqual([
        expect.objectContaining({ err: expect.objectContaining({ code: '55P03' }) }),
      ])
    } finally {
      await client.query('ROLLBACK')
    }
    expect(await startAt(start)).toEqual([])
    expect(await days()).toHaveLength(4)
  })

  test('a role that does not own the table gets an error in the log, and the start continues', async () => {
    const role = `writer_${new URL(store.url).pathname.slice(1)}`
    await client.query(
      `CREATE ROLE ${role} LOGIN PASSWORD 'x'; GRANT SELECT, INSERT, UPDATE, DELETE ON logs TO ${role}`,
    )
    const url = Object.assign(new URL(store.url), { username: role, password: 'x' }).href
    try {
      expect(await startAt(start, url)).toEqual([
        expect.objectContaining({ table: 'logs', err: expect.objectContaining({ code: '42501' }) }),
      ])
    } finally {
      await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    }
  })
})

describe('the periods of missing partitions', () => {
  const date = (text: string) => new Date(`${text}T00:00:00Z`)
  const partition = (from: string | null, until: string) => ({
    name: '',
    from: from === null ? null : date(from),
    until: date(until),
    rows: 1_000_000,
  })
  const missing = (existing: Parameters<typeof missingPeriods>[0], keptDays = 30) =>
    missingPeriods(existing, new Date('2026-03-01T23:59:00Z'), keptDays).map(({ from, until }) =>
      [from, until].map((time) => time.toISOString().slice(5, 10)).join(' '),
    )

  test('the periods of missing partitions start where the last partition ends', () => {
    expect(missing([partition(null, '2026-03-03')])).toEqual(['03-03 03-04', '03-04 03-05'])
    expect(missing([partition(null, '2026-02-01')])).toEqual([
      '03-01 03-02',
      '03-02 03-03',
      '03-03 03-04',
      '03-04 03-05',
    ])
  })

  test('the periods of missing partitions end before partitions that were made while the clock was ahead', () => {
    expect(missing([partition('2026-03-04', '2026-03-05'), partition('2027-01-01', '2027-01-02')])).toEqual([
      '03-01 03-02',
      '03-02 03-03',
      '03-03 03-04',
    ])
  })

  test('the periods of missing partitions are longer than a day if entries are kept for more than 60 days', () => {
    const existing = [partition('2026-03-02', '2026-03-03')]
    expect(missing(existing, 60)).toEqual(['03-01 03-02', '03-03 03-04', '03-04 03-05'])
    expect(missing(existing, 365)).toEqual(['03-01 03-02', '03-03 03-10'])
    expect(missing(existing, 36_500)).toEqual(['03-01 03-02', '03-03 04-03'])
  })
})
