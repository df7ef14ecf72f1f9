import { expect, test } from 'vitest'
import { Prisma } from '../store/generated/client.ts'
import { firstRows } from './list-rows-statement.ts'

test('pages of all sizes and offsets use few different statements, and no limit is too small', () => {
  const statements = new Set<string>()
  for (let power = 0; power <= 31; power += 1)
    for (const rows of [2 ** power - 1, 2 ** power, 2 ** power + 1].filter((number) => number > 0)) {
      const { sql, values } = firstRows(Prisma.sql`SELECT 1`, rows)
      statements.add(sql)
      expect(new Set(values)).toEqual(new Set([rows]))
      const planned = /LIMIT (\d+)\)/.exec(sql)?.[1]
      if (planned !== undefined) expect(Number(planned)).toBeGreaterThanOrEqual(rows)
    }
  expect(statements.size).toBeLessThanOrEqual(5)
})
