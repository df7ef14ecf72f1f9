import { expect, test } from 'vitest'
import { type CountedRows, type PageReader, type RowPosition, readPage } from './page.ts'

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, at): RowPosition => ({ createdAt: new Date(10_000 - at), key: BigInt(count - at) }))

/** A list in memory, which records how it is read. */
function listOf(length: number, counted: CountedRows, hasPositions = true) {
  const rows = rowsOf(length)
  const skipped: number[] = []
  const reader: PageReader<RowPosition> = {
    read: async ({ after, skip, take }) => {
      skipped.push(skip)
      const from = after === undefined ? skip : rows.findIndex(({ key }) => key === after.key) + 1 + skip
      return rows.slice(from, from + take)
    },
    count: async () => counted,
    ...(hasPositions && { positionAt: async (offset: number) => rows[offset] }),
  }
  return { rows, skipped, page: (limit: number, offset: number) => readPage({ limit, offset }, '/list', reader) }
}

test('an exact total is shown alone, a limited one is marked and includes the rows of the page', async () => {
  const exact = await listOf(900, { count: 900, isExact: true }).page(10, 0)
  expect(exact.headers).toMatchObject({ 'X-Total-Count': '900' })
  expect(exact.headers).not.toHaveProperty('X-Total-Count-Exact')
  const limited = listOf(900, { count: 600, isExact: false })
  const total = async (offset: number) => {
    const { headers } = await limited.page(10, offset)
    return [headers['X-Total-Count'], headers['X-Total-Count-Exact']]
  }
  expect(await total(0)).toEqual(['600', 'false'])
  // A client that stops at the total must find the rows after it.
  expect(await total(700)).toEqual(['711', 'false'])
  // The end of the list shows how many rows it has.
  expect(await total(890)).toEqual(['900', undefined])
  expect(await total(2_000)).toEqual(['600', 'false'])
})

test('a total that was counted before rows were stored includes the rows of the page, and is not exact', async () => {
  const { headers } = await listOf(11, { count: 7, isExact: true }).page(10, 0)
  expect(headers).toMatchObject({ 'X-Total-Count': '11', 'X-Total-Count-Exact': 'false' })
})

test.each([true, false])('any offset gives the rows at this offset, if the list finds positions: %s', async (finds) => {
  const list = listOf(900, { count: 900, isExact: true }, finds)
  for (const offset of [0, 1, 499, 500, 501, 895, 900, 901])
    expect((await list.page(10, offset)).rows).toEqual(list.rows.slice(offset, offset + 10))
  if (finds) expect(Math.max(...list.skipped)).toBeLessThan(500)
})
