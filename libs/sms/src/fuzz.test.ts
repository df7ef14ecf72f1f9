import { expect, it } from 'vitest'
import { fuzzDecoders } from '../fuzz/fuzz-decoders.ts'

// The full run is `npm run fuzz`, which also limits the time for each input; tests do not measure time.
it('returns a result or throws a PDU error for twenty thousand invalid inputs', () => {
  const { inputs, failures } = fuzzDecoders({ count: 20_000, seed: 20_261_120, timed: false })
  expect(failures).toEqual([])
  expect(inputs).toBe(20_000)
})
