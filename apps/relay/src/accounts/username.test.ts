import { expect, test } from 'vitest'
import { usernameProblem } from './username.ts'

test.each(['sms', 'a', '7', 'ABC123', 'müller', '田中', 'ops+alerts@example.org', 'a.b_c-d', 'x'.repeat(64)])(
  'accepts %s',
  (username) => expect(usernameProblem(username)).toBeUndefined(),
)

test.each([
  '',
  ' sms',
  'sms ',
  'a:b',
  'a b',
  '.sms',
  '-rf',
  'a\u0000b',
  'a\nb',
  'a/b',
  '💬',
  '\u202esms',
  'x'.repeat(65),
])('refuses %j', (username) => expect(usernameProblem(username)).toContain('username'))
