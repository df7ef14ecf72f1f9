import { afterEach, expect, test, vi } from 'vitest'
import { editsOf, keepEdits, removeEdits, removeEditsOfOthers } from './unsaved-edits.ts'

afterEach(() => vi.unstubAllGlobals())

test('unsaved changes are kept until they are saved or discarded, for each account and section', () => {
  keepEdits('ada messages', { limit_value: 5 })
  keepEdits('bob messages', { limit_value: 9 })
  expect([editsOf('ada messages'), editsOf('bob messages')]).toEqual([{ limit_value: 5 }, { limit_value: 9 }])
  keepEdits('ada messages', {})
  expect(editsOf('ada messages')).toEqual({})
  keepEdits('bob messages', {})
})

test('a sign-out removes the unsaved changes of the user in all sections', () => {
  keepEdits('ada messages', { limit_value: 5 })
  keepEdits('ada logs', { lifetime_days: 7 })
  keepEdits('adam logs', { lifetime_days: 3 })
  removeEdits('ada')
  expect([editsOf('ada messages'), editsOf('ada logs')]).toEqual([{}, {}])
  expect(editsOf('adam logs')).toEqual({ lifetime_days: 3 })
  removeEdits('adam')
})

test('the next user finds no unsaved changes of the former user', () => {
  keepEdits('ada logs', { lifetime_days: 7 })
  keepEdits('adam logs', { lifetime_days: 3 })
  removeEditsOfOthers('adam')
  expect([editsOf('ada logs'), editsOf('adam logs')]).toEqual([{}, { lifetime_days: 3 }])
  removeEdits('adam')
})

test('the browser asks before a reload only if there are unsaved changes', () => {
  const page = new EventTarget()
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  const asks = () => !page.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  expect(asks()).toBe(false)
  keepEdits('ada logs', { lifetime_days: 7 })
  expect(asks()).toBe(true)
  keepEdits('ada logs', {})
  expect(asks()).toBe(false)
})
