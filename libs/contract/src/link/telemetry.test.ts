import { expect, test } from 'vitest'
import { readTelemetry } from './telemetry.ts'

test('a member that is missing, or of another kind, is not known, and the others are', () => {
  const told = {
    platform: 7,
    colour: 'red',
    queue: { open: 3, waiting: 'many' },
    modems: [
      { simNumber: 1, model: 'EC25', signal: 'strong', signalDbm: -73, storage: { ME: { used: 1, total: 'a few' } } },
      { simNumber: 0, registration: 'home' },
    ],
  }
  expect(JSON.parse(JSON.stringify(readTelemetry(told)))).toEqual({
    queue: { open: 3 },
    modems: [{ simNumber: 1, model: 'EC25', signalDbm: -73 }, { registration: 'home' }],
  })
})

test.each([null, undefined, 17, 'text', [], { modems: 'none' }, { modems: [3] }])('%j tells nothing', (told) => {
  expect(JSON.stringify(readTelemetry(told))).toBe('{}')
})
