import { expect, test } from 'vitest'
import { matches } from './log-filter.ts'

const line = {
  id: 1,
  createdAt: '2026-03-01T08:46:11.000Z',
  module: 'modem',
  priority: 'WARN',
  message: 'the port was lost',
  context: { device: 'pi-attic' },
} as const

test('a level includes more severe levels', () => {
  expect(matches(line, { least: 'INFO', search: '' })).toBe(true)
  expect(matches(line, { least: 'WARN', search: '' })).toBe(true)
  expect(matches(line, { least: 'ERROR', search: '' })).toBe(false)
})

test('a search finds module, message and context, in any case', () => {
  for (const search of ['MODEM', 'port was', 'Attic', ' ']) expect(matches(line, { least: 'DEBUG', search })).toBe(true)
  expect(matches(line, { least: 'DEBUG', search: 'webhook' })).toBe(false)
})
