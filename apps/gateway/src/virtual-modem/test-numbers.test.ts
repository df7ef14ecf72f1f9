import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { normaliseNumber } from '@smsgw/relay/messages/accept/phone-number'
import { testNumbers } from '@smsgw/virtual-modem/network/test-numbers'
import { expect, test } from 'vitest'

test.each(testNumbers)('the API accepts $number as valid', ({ number }) => {
  expect(normaliseNumber(number, { region: undefined, skipValidation: false })).toEqual({ ok: true, number })
})

test('the documentation lists each number with its effect', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/test-numbers.md'), 'utf8')
  const rows = testNumbers.map(({ number, effect }) => `| \`${number}\` | ${effect} |`)
  expect(page).toContain(['| Number | What happens |', '|---|---|', ...rows].join('\n'))
})
