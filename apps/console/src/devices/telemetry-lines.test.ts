import { expect, test } from 'vitest'
import { hasValues, linesBySim, linesOfDevice } from './telemetry-lines.ts'

const at = (minute: number) => `2026-03-01T08:${String(minute).padStart(2, '0')}:00.000Z`
const second = (minute: number) => Date.parse(at(minute)) / 1000

test('each SIM has a line over all times, with gaps where there is no value', () => {
  const points = [
    { at: at(0), simNumber: 1, signal: 50 },
    { at: at(0), simNumber: 2, signal: 80 },
    { at: at(1), simNumber: 2, signal: 81 },
  ]
  const { atSeconds, lines } = linesBySim(points, 'signal')
  expect(atSeconds).toEqual([second(0), second(1)])
  expect(lines.map(({ name, values }) => [name, values])).toEqual([
    ['SIM 1', [50, null]],
    ['SIM 2', [80, 81]],
  ])
})

test('times are sorted, with any order of the points', () => {
  const points = [
    { at: at(2), queue: 2 },
    { at: at(1), queue: 1 },
  ]
  expect(linesOfDevice(points, 'queue', 'Waiting').lines[0]?.values).toEqual([1, 2])
})

test('a line without values is not drawn', () => {
  expect(hasValues(linesBySim([{ at: at(0), simNumber: 1 }], 'signal').lines)).toBe(false)
  expect(hasValues(linesBySim([], 'signal').lines)).toBe(false)
})
