import { expect, test } from 'vitest'
import { shortLead } from './short-lead.ts'

test('a match stays visible: only the end of a long text before it is shown, from a space', () => {
  expect(shortLead('Shall I book a ')).toBe('Shall I book a ')
  expect(shortLead('Your code is 493 201. More at ')).toBe('…201. More at ')
})

test('a text without spaces is cut between characters', () => {
  expect(shortLead('https://example.com/menu/')).toBe('…xample.com/menu/')
  expect(shortLead('🙂'.repeat(20))).toBe(`…${'🙂'.repeat(16)}`)
})
