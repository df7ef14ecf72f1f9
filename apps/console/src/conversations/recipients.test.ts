import { expect, test } from 'vitest'
import { numbersIn, pastedColumn } from './recipients.ts'

test('numbers are separated by commas, semicolons, tabs and new lines', () => {
  expect(numbersIn(' +447400123456, +447400123457;+447400123458\r\n"+44 7400 123459"\t\n')).toEqual([
    '+447400123456',
    '+447400123457',
    '+447400123458',
    '+44 7400 123459',
  ])
})

test('a number that is written twice is used once', () => {
  expect(numbersIn('+44 7400 123456\n+447400123456')).toEqual(['+447400123456'])
})

test('a column of a spreadsheet becomes a list at the cursor', () => {
  const column = '+447400123456\r\n+447400123457\r\n'
  expect(pastedColumn(column, { value: '', start: 0, end: 0 })).toEqual({
    text: '+447400123456, +447400123457',
    cursor: 28,
  })
  expect(pastedColumn(column, { value: '+1202, +1203', start: 5, end: 5 })?.text).toBe(
    '+1202, +447400123456, +447400123457, +1203',
  )
})

test('a single number is pasted as usual', () => {
  expect(pastedColumn('+447400123456\n', { value: '', start: 0, end: 0 })).toBeUndefined()
})
