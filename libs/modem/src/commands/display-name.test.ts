import { expect, test } from 'vitest'
import { readResponseLine } from '../wire/response-line.ts'
import { readInformation, readModel } from './identity.ts'
import { readOperator } from './network/operator.ts'

const dirty = `\x1b]0;title\x07 Net\x00\x9b31m${'x'.repeat(5_000)}`
const clean = `]0;title Net31m${'x'.repeat(85)}`

test('names from a modem contain no control characters and fit on a line', () => {
  const lines = (...texts: readonly string[]) => texts.map(readResponseLine)
  expect(readModel.read(lines(`+CGMM: "${dirty}"`))).toBe(clean)
  expect(readInformation.read(lines(`Model: ${dirty}`, 'Revision: 1'))).toMatchObject({ firmware: '1' })
  expect(readOperator.read(lines(`+COPS: 0,0,"${dirty}",7`))).toMatchObject({ name: clean })
  expect(readOperator.read(lines('+COPS: 0,0,"\x00\x07"'))).toBe('none')
})
