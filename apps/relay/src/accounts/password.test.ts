import { expect, test } from 'vitest'
import { passwordProblem } from './password.ts'

test.each(['12345678', 'with: colons', 'pässwörd', '  spaces  ', '💬💬💬 💬💬 ab', `${'x'.repeat(126)}yz`])(
  '%j is allowed',
  (password) => expect(passwordProblem(password, 'sms')).toBeUndefined(),
)

test.each([
  ['', 'at least 8'],
  ['1234567', 'at least 8'],
  ['💬💬💬💬', 'at least 8'],
  [`${'x'.repeat(127)}yz`, 'at most 128 bytes'],
  [`${'€'.repeat(41)}abcdef`, 'at most 128 bytes'],
  ['tab\there', 'control'],
  ['a\u0000bcdefgh', 'control'],
  ['SomeBody', 'username'],
  ['aaaaaaaaaa', 'different'],
])('%j is refused: %s', (password, word) => expect(passwordProblem(password, 'somebody')?.message).toContain(word))
