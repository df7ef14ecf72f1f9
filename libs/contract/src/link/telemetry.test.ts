import { expect, test } from 'vitest'
import { readTelemetry } from './telemetry.ts'

test('treats a member that is missing or of another type as absent and keeps the others', () => {
  const sample = {
    platform: 7,
    colour: 'red',
    queue: { open: 3, waiting: 'many' },
    modems: [
      { simNumber: 1, model: 'EC25', signal: 'strong', signalDbm: -73, storage: { ME: { used: 1, total: 'a few' } } },
      { simNumber: 0, registration: 'home' },
    ],
  }
  expect(JSON.parse(JSON.stringify(readTelemetry(sample)))).toEqual({
    queue: { open: 3 },
    modems: [{ simNumber: 1, model: 'EC25', signalDbm: -73 }, { registration: 'home' }],
  })
})

test.each([null, undefined, 17, 'text', [], { modems: 'none' }, { modems: [3] }])(
  'returns an empty sample for %j',
  (sample) => {
    expect(JSON.stringify(readTelemetry(sample))).toBe('{}')
  },
)
