import { expect, test } from 'vitest'
import { firstLine } from './enqueue-notifications.ts'

test.each([
  ['Are you coming?', 'Are you coming?'],
  ['\n  See you at 10:30\nBring cake', 'See you at 10:30'],
  ['Room 12, floor 3', 'Room 12, floor 3'],
  ['Übermorgen um 9', 'Übermorgen um 9'],
  ['OK SMS DHL', 'OK SMS DHL'],
  ['From 9am, 2nd floor, and/or at 10h30', 'From 9am, 2nd floor, and/or at 10h30'],
])('%j is shown as %j', (text, line) => expect(firstLine(text)).toBe(line))

test.each([
  'Your code is 482913',
  '4829 is your code',
  'G-482913 is your Google code',
  'Code: 12-34-56',
  'Code: 1 2 3 4',
  'Enter G7K2QX to sign in',
  'Use a7f3k9 to sign in',
  'Your key: Xk7Qp2mN',
  'Sign in at bit.ly/x7Kq',
  'رمزك هو ٤٨٢٩',
  'Reset your password: https://example.org/r/abc',
  'www.example.org/abc',
  '',
  '\n \n',
])('%j is not shown', (text) => expect(firstLine(text)).toBeUndefined())

test('a long line is shortened between characters', () => {
  const line = firstLine('😀'.repeat(200)) ?? ''
  expect([[...line].length, line.endsWith('😀…')]).toEqual([120, true])
})
