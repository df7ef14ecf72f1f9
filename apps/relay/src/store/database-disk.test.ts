import { afterEach, beforeEach, expect, test } from 'vitest'
import { useTestDatabase } from '../testing/test-database.ts'
import { connectDatabase, type Database } from './database.ts'
import { DatabaseDisk, databasePlace } from './database-disk.ts'

const store = useTestDatabase({ connections: 1 })
let database: Database
let disk: DatabaseDisk
let lines: string[]

beforeEach(() => {
  lines = []
  const log = (level: string) => (_: object | string, message?: string) => lines.push(`${level} ${message ?? _}`)
  disk = new DatabaseDisk({
    folder: undefined,
    host: 'db.example',
    log: { error: log('error'), info: log('info') } as never,
    retryMs: 20,
  })
  database = connectDatabase({ url: store.url, connections: 1, onDiskFull: (message) => disk.reportFull(message) })
})

afterEach(async () => {
  disk.stop()
  await database.$disconnect()
})

/** The error that a server with a full disk returns for any statement that needs a new page. */
const failAsFull = () =>
  database.$executeRaw`DO $$ BEGIN RAISE SQLSTATE '53100' USING MESSAGE = 'could not extend file'; END $$`

test('a remote database that reports a full disk fails the health check, and the reason names the server', async () => {
  expect(await disk.health().check()).toMatchObject({ status: 'pass' })
  await expect(failAsFull()).rejects.toThrow()
  expect(disk.problem()).toBe(
    'The disk of the database is full: database server db.example. Free disk space there, then try again',
  )
  expect(lines).toEqual(['error disk full: database server db.example; requests that write are answered with 503'])
})

test('recovery is noticed without any request, and logged once', async () => {
  await expect(failAsFull()).rejects.toThrow()
  disk.watch(database)
  await expect.poll(() => disk.problem()).toBeUndefined()
  expect(lines.slice(1)).toEqual([
    'info disk has space again: database server db.example; requests that write are served again',
  ])
  expect(await disk.health().check()).toMatchObject({ status: 'pass' })
})

test('the disk stays full while test writes fail', async () => {
  await store.database.$executeRawUnsafe(`
    CREATE FUNCTION refuse_tables() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE SQLSTATE '53100' USING MESSAGE = 'could not extend file'; END $$`)
  await store.database.$executeRaw`
    CREATE EVENT TRIGGER full_disk ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION refuse_tables()`
  await expect(failAsFull()).rejects.toThrow()
  disk.watch(database)
  expect(await disk.health().check()).toMatchObject({
    status: 'fail',
    description: 'disk full: database server db.example',
  })
  expect(lines).toHaveLength(1)
  await store.database.$executeRaw`DROP EVENT TRIGGER full_disk`
  expect(await disk.health().check()).toMatchObject({ status: 'pass' })
})

test('health names the folder and the free space of an embedded database', async () => {
  const embedded = new DatabaseDisk({
    folder: import.meta.dirname,
    host: '',
    log: { error: () => 0, info: () => 0 } as never,
  })
  const { description, observedUnit, observedValue } = await embedded.health().check()
  expect(description).toContain(`${import.meta.dirname} has `)
  expect(observedUnit).toBe('MiB')
  expect(Number.isInteger(observedValue)).toBe(true)
})

test('the location of the database is its folder, or the host of its server', () => {
  expect(databasePlace({ DATABASE_URL: undefined, DATA_DIR: '/data' })).toEqual({ folder: '/data/database', host: '' })
  for (const url of ['postgresql://u:p@db.example:5432/smsgw', 'postgresql:///smsgw?host=db.example'])
    expect(databasePlace({ DATABASE_URL: url, DATA_DIR: '/data' })).toEqual({ folder: undefined, host: 'db.example' })
})
