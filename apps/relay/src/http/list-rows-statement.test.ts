import { expect, test } from 'vitest'
import { plannedLimit } from './list-rows-statement.ts'

test('pages of all sizes and offsets use few different statements, with a limit that is never too small', () => {
  const statements = new Set<string>()
  for (let power = 0; power <= 31; power += 1)
    for (const rows of [2 ** power - 1, 2 ** power, 2 ** power + 1].filter((number) => number > 0)) {
      const { sql, values } = plannedLimit(rows)
      statements.add(sql)
      expect(Number(values[0] ?? sql)).toBeGreaterThanOrEqual(rows)
    }
  expect(statements.size).toBeLessThanOrEqual(5)
})
