import { afterEach, expect, test, vi } from 'vitest'
import {
  draftKey,
  draftOf,
  forgetDrafts,
  forgetDraftsOfOthers,
  keepDraft,
  moveDraft,
  putBack,
  removeDrafts,
} from './drafts.ts'

afterEach(() => vi.unstubAllGlobals())

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

test('a text can be written while the storage of the browser is full', () => {
  const full = () => {
    throw new DOMException('full', 'QuotaExceededError')
  }
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: full, removeItem: () => undefined })
  keepDraft('ada full', 'still written')
  expect(draftOf('ada full')).toBe('still written')
})

test('a draft that the full browser cannot store survives the next sign-in of its user, and of no other user', () => {
  const stored = new Map<string, string>([['smsgw-draft ada +1', 'stored before']])
  const full = () => {
    throw new DOMException('full', 'QuotaExceededError')
  }
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: full,
    removeItem: (name: string) => stored.delete(name),
  }
  vi.stubGlobal('localStorage', storage)
  const key = draftKey('ada', '+1')
  keepDraft(key, 'written since')
  forgetDrafts()
  forgetDraftsOfOthers('ada')
  expect(draftOf(key)).toBe('written since')
  forgetDrafts()
  forgetDraftsOfOthers('adam')
  expect(draftOf(key)).toBe('stored before')
  keepDraft(key, 'written since')
  vi.stubGlobal('localStorage', { ...storage, setItem: (name: string, text: string) => stored.set(name, text) })
  keepDraft(key, 'stored now')
  stored.set('smsgw-draft ada +1', 'changed in another tab')
  forgetDrafts()
  expect(draftOf(key)).toBe('changed in another tab')
})

test('drafts that are removed from memory are read from the browser again', () => {
  const stored = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => stored.set(name, text),
    removeItem: (name: string) => stored.delete(name),
  })
  const [kept, removedInOtherTab] = [draftKey('ada', '+1'), draftKey('ada', '+2')]
  keepDraft(kept, 'of this tab')
  keepDraft(removedInOtherTab, 'removed by a sign-out in another tab')
  stored.delete(`smsgw-draft ${removedInOtherTab}`)
  forgetDrafts()
  expect([draftOf(kept), draftOf(removedInOtherTab)]).toEqual(['of this tab', ''])
})

test('the drafts of one user are removed from memory and from the browser', () => {
  const stored: Record<string, string> = {
    'smsgw-draft anna +447400123456': 'from an earlier visit',
    'smsgw-draft annabel new': 'of another user',
    'smsgw-language': 'en',
  }
  const methods = {
    getItem: (name: string) => stored[name] ?? null,
    setItem: (name: string, text: string) => Object.assign(stored, { [name]: text }),
    removeItem: (name: string) => void delete stored[name],
  }
  vi.stubGlobal(
    'localStorage',
    new Proxy(stored, { get: (_, name) => methods[name as keyof typeof methods] ?? stored[String(name)] }),
  )
  const written = draftKey('anna')
  keepDraft(written, 'Meet me at the old harbour')
  removeDrafts('anna')
  expect(draftOf(written)).toBe('')
  expect(Object.keys(stored)).toEqual(['smsgw-draft annabel new', 'smsgw-language'])
})
