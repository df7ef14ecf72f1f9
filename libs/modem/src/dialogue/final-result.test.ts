import { expect, test } from 'vitest'
import { readFinalResult, readNumericResult } from './final-result.ts'

test('OK is a success', () => {
  expect(readFinalResult('OK')).toEqual({ kind: 'ok' })
})

test.each([
  ['ERROR', 'plain', 'unknown'],
  ['ERROR: 4', 'plain', 'unknown'],
  ['ABORTED', 'plain', 'unknown'],
  ['COMMAND NOT SUPPORT', 'plain', 'unsupported'],
  ['COMMAND NOT SUPPORTED', 'plain', 'unsupported'],
  ['TOO MANY PARAMETERS', 'plain', 'unsupported'],
  ['+CME ERROR: 14', 'cme', 'temporary'],
  ['+CMS ERROR: 38', 'cms', 'temporary'],
])('%s is an error', (text, source, errorClass) => {
  expect(readFinalResult(text)).toMatchObject({ kind: 'error', error: { source, class: errorClass, text } })
})

test.each(['NO CARRIER', 'BUSY', 'NO ANSWER', 'NO DIALTONE'])('%s ends a call, not a command', (text) => {
  expect(readFinalResult(text)).toEqual({ kind: 'call' })
})

test('CONNECT ends a call successfully, with or without a speed', () => {
  expect(readFinalResult('CONNECT')).toEqual({ kind: 'call' })
  expect(readFinalResult('CONNECT 115200')).toEqual({ kind: 'call' })
})

test.each([
  'ok',
  'OK.',
  'OKAY',
  'Error',
  'ERRORS',
  'ERROR in the menu',
  '+CSQ: 20,99',
  'CMGS',
  'CONNECTED',
  '0',
  '4',
  '',
])('%j is not a final result', (text) => {
  expect(readFinalResult(text)).toBeUndefined()
})

test('digits are results of a modem in numeric mode', () => {
  expect(readNumericResult('0')).toEqual({ kind: 'ok' })
  expect(readNumericResult('4')).toMatchObject({ kind: 'error' })
  expect(readNumericResult('3')).toEqual({ kind: 'call' })
  for (const text of ['2', '5', '00', '10', '', 'OK']) expect(readNumericResult(text)).toBeUndefined()
})
