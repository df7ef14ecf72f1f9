import { expect, test } from 'vitest'
import { fuzzDriver } from '../fuzz/fuzz-driver.ts'

// The full run is `npm run fuzz`, which also measures stalls; this short one detects crashes.
test('twenty thousand lines of random input make no tokenizer, driver or answer parser throw', async () => {
  const { problems, lines } = await fuzzDriver({ lines: 20_000, bytes: 0, seed: 20_261_120 })
  expect(problems).toEqual([])
  expect(lines).toBeGreaterThanOrEqual(20_000)
}, 60_000)
