import { afterEach, expect, test } from 'vitest'
import { chooseLocale } from '../../words/language.ts'
import { loadLocale } from '../../words/text.ts'
import { commandsFor } from './palette-commands.ts'

const names = (search: string) => commandsFor(search).map(({ name }) => name)

afterEach(() => loadLocale(chooseLocale('en', ['en'])))

test('lists all pages without a search', () => {
  expect(names('')).toContain('Overview')
  expect(names('')).toHaveLength(13)
})

test('finds a page by any of its words', () => {
  expect(names('mess')).toEqual(['New message', 'Outgoing messages', 'Search conversations for “mess”'])
  expect(names('MESSAGES out')[0]).toBe('Outgoing messages')
})

test('any other text can be searched for in the conversations', () => {
  expect(commandsFor(' my parcel ')).toEqual([
    { path: '/conversations?q=my%20parcel', name: 'Search conversations for “my parcel”', icon: 'search' },
  ])
})

test('finds a page without its accents', async () => {
  await loadLocale(chooseLocale('de', ['de']))
  expect(names('ubersicht')[0]).toBe('Übersicht')
})

test('a phone number opens its conversation, and a part of a number is searched for', () => {
  expect(commandsFor('+44 7400 123456')[0]).toEqual({
    path: '/conversations/%2B447400123456',
    name: 'Conversation with +447400123456',
    icon: 'conversations',
  })
  expect(names('+4474')).toEqual(['Search conversations for “+4474”'])
})
