import { expect, test } from 'vitest'
import { plotColours } from './plot-colours.ts'

const names = ['--ink', '--accent-ink', '--muted', '--bad']
const colours = (isForced: boolean) => plotColours({ isForced, text: 'white', token: (name) => `var(${name})` })

test('in forced colours, the lines of a plot have one colour and different dashes', () => {
  const looks = names.map((colour, at) => colours(true).line({ colour }, at))
  expect(new Set(looks.map(({ colour }) => colour))).toEqual(new Set(['white']))
  expect(new Set(looks.map(({ dashes }) => dashes.join())).size).toBe(names.length)
  expect(new Set(looks.map(({ mark }) => mark)).size).toBe(names.length)
})

test('in other colours, lines have their own colours, and are solid unless they ask for dashes', () => {
  const looks = names.map((colour, at) => colours(false).line({ colour, isDashed: at === 2 }, at))
  expect(looks.map(({ colour }) => colour)).toEqual(names.map((name) => `var(${name})`))
  expect(looks.map(({ dashes }) => dashes.length > 0)).toEqual([false, false, true, false])
})

test('the mark in the legend has the dashes of its line', () => {
  expect(colours(true).line({ colour: '--ink' }, 0).mark).toBe('white')
  expect(colours(true).line({ colour: '--ink' }, 1).mark).toBe(
    'repeating-linear-gradient(to right, white 0px 8px, transparent 8px 12px)',
  )
})
