import { expect, test } from 'vitest'
import { figureTable, readFigure } from './figure-table.ts'

test('reads figures in columns and after a colon, and ignores other lines', () => {
  expect(readFigure('relay', 'bare route, one statement each          15500         2.1         5.6')).toEqual({
    project: 'relay',
    what: 'bare route, one statement each',
    values: '15500 · 2.1 · 5.6',
  })
  expect(readFigure('e2e', 'memory: relay 120 MiB, agent 80 MiB')).toMatchObject({
    what: 'memory',
    values: 'relay 120 MiB, agent 80 MiB',
  })
  for (const line of ['', 'three rounds of each', 'note: no figure here'])
    expect(readFigure('sms', line)).toBeUndefined()
})

test('writes one Markdown table', () => {
  const table = figureTable([
    { project: 'sms', what: 'decode', values: '1' },
    { project: 'relay', what: 'a|b', values: '22 · 3' },
  ])
  expect(table).toBe(
    [
      '| project | what   | figures |',
      '|---------|--------|---------|',
      '| sms     | decode | 1       |',
      '| relay   | a/b    | 22 · 3  |',
    ].join('\n'),
  )
})
