import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../testing/test-database.ts'

let store: TestDatabase

beforeAll(async () => {
  store = await testDatabase({ connections: 1 })
})

afterAll(() => store.close())

async function planned(): Promise<number> {
  const [row] = await store.database.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_prepared_statements`
  return row?.count ?? 0
}

test('a statement is planned once for a connection, whatever its values', async () => {
  const ask = (value: number) => store.database.$queryRaw<{ value: number }[]>`SELECT ${value}::int AS value`
  expect(await ask(1)).toEqual([{ value: 1 }])
  const before = await planned()
  for (const value of [2, 3, 4]) expect(await ask(value)).toEqual([{ value }])
  expect(await planned()).toBe(before)
})

test('statements that differ each time do not fill the server, and are answered all the same', async () => {
  for (let turn = 0; turn < 700; turn += 1) {
    expect(await store.database.$queryRawUnsafe(`SELECT ${turn} AS turn`)).toEqual([{ turn }])
  }
  expect(await planned()).toBeLessThanOrEqual(500)
})
