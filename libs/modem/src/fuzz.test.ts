import { expect, test } from 'vitest'
import { fuzzDriver } from '../fuzz/fuzz-driver.ts'

// The full run is `npm run fuzz`, which also measures that nothing stalls; this one keeps crashes from going unseen.
test('twenty thousand lines of nonsense make neither tokenizer nor driver nor any parser of answers throw', async () => {
  const { problems, lines } = await fuzzDriver({ lines: 20_000, bytes: 0, seed: 20_261_120 })
  expect(problems).toEqual([])
  expect(lines).toBeGreaterThanOrEqual(20_000)
}, 60_000)
