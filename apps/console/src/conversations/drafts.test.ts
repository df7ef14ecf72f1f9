import { expect, test } from 'vitest'
import { draftOf, keepDraft, moveDraft, putBack } from './drafts.ts'

test('a text that could not be sent is put before the text that was written since then', () => {
  keepDraft('one', '')
  putBack('one', 'not sent')
  expect(draftOf('one')).toBe('not sent')
  keepDraft('one', 'written since')
  putBack('one', 'not sent')
  expect(draftOf('one')).toBe('not sent\nwritten since')
})

test('a draft moves to another conversation and replaces no text there', () => {
  keepDraft('new', 'and one more thing')
  moveDraft('new', '+447400123456')
  expect([draftOf('new'), draftOf('+447400123456')]).toEqual(['', 'and one more thing'])
  keepDraft('+447400123456', 'begun before')
  moveDraft('new', '+447400123456')
  expect(draftOf('+447400123456')).toBe('begun before')
})
