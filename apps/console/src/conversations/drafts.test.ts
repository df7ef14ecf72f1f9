import { expect, test } from 'vitest'
import { draftOf, keepDraft, moveDraft, putBack } from './drafts.ts'

test('what could not be sent stands before what was written since', () => {
  keepDraft('one', '')
  putBack('one', 'not sent')
  expect(draftOf('one')).toBe('not sent')
  keepDraft('one', 'written since')
  putBack('one', 'not sent')
  expect(draftOf('one')).toBe('not sent\nwritten since')
})

test('a draft goes along to another conversation, and hides nothing that is there', () => {
  keepDraft('new', 'and one more thing')
  moveDraft('new', '+447400123456')
  expect([draftOf('new'), draftOf('+447400123456')]).toEqual(['', 'and one more thing'])
  keepDraft('+447400123456', 'begun before')
  moveDraft('new', '+447400123456')
  expect(draftOf('+447400123456')).toBe('begun before')
})
