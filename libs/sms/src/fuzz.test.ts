import { expect, it } from 'vitest'
import { fuzzDecoders } from '../fuzz/fuzz-decoders.ts'

// The full run is `npm run fuzz`, which also looks at the time each input takes: a measured time has no place in a test.
it('answers twenty thousand wrong inputs with a result or a PDU error', () => {
  const { inputs, failures } = fuzzDecoders({ count: 20_000, seed: 20_261_120, timed: false })
  expect(failures).toEqual([])
  expect(inputs).toBe(20_000)
}, 60_000)
