import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const options = ['--port', '--host', '--password-stdin', '--data-dir', '--log-level']

test.each([
  ['--prot', '--port'],
  ['--prt', '--port'],
  ['--ports', '--port'],
  ['--pass', '--password-stdin'],
  ['--datadir', '--data-dir'],
  ['--loglevle', '--log-level'],
  ['--verbose', undefined],
  ['--p', undefined],
  ['-p', undefined],
  ['--', undefined],
])('suggests %s as %s', (word, meant) => {
  expect(nearest(word, options)).toBe(meant)
})
