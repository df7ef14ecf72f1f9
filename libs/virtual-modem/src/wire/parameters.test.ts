import { expect, test } from 'vitest'
import { CommandParameters } from './parameters.ts'

test('does not split at commas in quotes', () => {
  const parameters = new CommandParameters('1,"a,b",,"c"')
  expect([0, 1, 2, 3, 4].map((index) => parameters.text(index))).toEqual(['1', 'a,b', undefined, 'c', undefined])
  expect(parameters.count).toBe(4)
})

test('fails every range check for a value that is not a number', () => {
  const parameters = new CommandParameters('x,-1,1e3,99999999999,7')
  expect([0, 1, 2, 3].map((index) => parameters.number(index))).toEqual([
    Number.NaN,
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ])
  expect(parameters.number(4)).toBe(7)
  expect(parameters.number(5, 3)).toBe(3)
})

test('reads an unclosed quote to the end', () => {
  expect(new CommandParameters('"ab').text(0)).toBe('ab')
  expect(new CommandParameters('"').text(0)).toBe('')
})
