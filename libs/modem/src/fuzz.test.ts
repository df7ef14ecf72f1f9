import { expect, test } from 'vitest'
import { fuzzDriver } from '../fuzz/fuzz-driver.ts'

// This short run only detects crashes. The full run, `npm run fuzz`, also measures stalls.
test('tokenizer, driver and answer parsers do not throw on twenty thousand lines of random input', async () => {
  const { problems, lines } = await fuzzDriver({ lines: 20_000, bytes: 0, seed: 20_261_120 })
  expect(problems).toEqual([])
  expect(lines).toBeGreaterThanOrEqual(20_000)
})
