import { expect, test } from 'vitest'
import { listenProblem } from './listen-problem.ts'

const at = { host: '127.0.0.1', port: 25 }
const smtp = { host: 'SMTP_HOST', port: 'SMTP_PORT' }

test.each([
  [
    'EADDRINUSE',
    'port 25 of 127.0.0.1 is in use by another program: stop that program, or set SMTP_PORT to another port',
  ],
  ['EACCES', 'this user may not listen on port 25: set SMTP_PORT to a port above 1023'],
  [
    'EADDRNOTAVAIL',
    'this machine does not have the address 127.0.0.1: set SMTP_HOST to one of its addresses, or to 0.0.0.0',
  ],
  [
    'EAI_AGAIN',
    'this machine does not have the address 127.0.0.1: set SMTP_HOST to one of its addresses, or to 0.0.0.0',
  ],
  ['EMFILE', 'cannot listen on 127.0.0.1:25: too many open files'],
])('the problem %s is explained with the setting to change', (code, problem) => {
  expect(listenProblem(Object.assign(new Error('too many open files'), { code }), at, smtp)).toBe(problem)
})
