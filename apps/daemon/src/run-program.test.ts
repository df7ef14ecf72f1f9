import { afterEach, expect, test, vi } from 'vitest'
import { failAs } from './run-program.ts'
import { StartError } from './start-error.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test.each([
  [
    'a full disk with its free space',
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', path: '/proc/agent.json' }),
    /^agent: Disk full: \/proc has \d+ MB free.*\. Free disk space, then start again\n$/,
  ],
  [
    'a full disk without a path',
    Object.assign(new Error('database or disk is full'), { errcode: 13 }),
    /^agent: Disk full: database or disk is full\. Free disk space, then start again\n$/,
  ],
  [
    'a wrong setting in one line',
    new StartError('PORT must be a whole number'),
    /^agent: PORT must be a whole number\n$/,
  ],
  ['a defect with its stack trace', new TypeError('x is not a function'), /^agent: TypeError(?:.|\n)*\n {4}at /],
])('prints %s', (_what, error, text) => {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never)
  failAs('agent')(error)
  expect(exit).toHaveBeenCalledWith(1)
  expect(printed.mock.calls[0]?.[0]).toMatch(text)
})
