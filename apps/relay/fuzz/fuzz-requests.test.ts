import { expect, test } from 'vitest'
import { testDatabase } from '../src/testing/test-database.ts'
import { fuzzRelay } from './fuzz-relay.ts'
import { fuzzedRelay } from './fuzzed-relay.ts'

// The full run is `npm run fuzz`.
test('a thousand malformed requests get documented answers, and none is an internal error', async () => {
  const { url, close } = await testDatabase()
  const relay = await fuzzedRelay(url)
  try {
    const { failures, sent } = await fuzzRelay({ ...relay, count: 1_000, seed: 20_261_121, slowConnections: 5 })
    expect(failures).toEqual([])
    expect(sent).toBe(1_000)
  } finally {
    await relay.close()
    await close()
  }
})
