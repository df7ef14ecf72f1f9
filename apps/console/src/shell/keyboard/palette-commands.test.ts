import { afterEach, expect, test } from 'vitest'
import { chooseLocale } from '../../words/language.ts'
import { loadLocale } from '../../words/text.ts'
import { commandsFor } from './palette-commands.ts'

const none = { ofPage: [], ofAccount: [] }
const names = (search: string, actions = none) => commandsFor(search, actions).map(({ name }) => name)

afterEach(() => loadLocale(chooseLocale('en', ['en'])))

test('lists all pages without a search', () => {
  expect(names('')).toContain('Overview')
  expect(names('')).toHaveLength(13)
})

test('lists the actions of the page before the pages, and the actions of the account after them', () => {
  const action = (name: string) => ({ name, icon: 'note', run: () => undefined }) as const
  const actions = { ofPage: [action('Archive')], ofAccount: [action('Sign out')] }
  expect(commandsFor('', actions).map(({ name }) => name)).toEqual(['Archive', ...names(''), 'Sign out'])
  expect(commandsFor('arch', actions)[0]).toBe(actions.ofPage[0])
})

test('finds a page by any of its words', () => {
  expect(names('mess')).toEqual(['New message', 'Outgoing messages', 'Search conversations for “mess”'])
  expect(names('MESSAGES out')[0]).toBe('Outgoing messages')
})

test('any other text can be searched for in the conversations', () => {
  expect(commandsFor(' my parcel ', none)).toEqual([
    { path: '/conversations?q=my%20parcel', name: 'Search conversations for “my parcel”', icon: 'search' },
  ])
})

test('finds a page without its accents', async () => {
  await loadLocale(chooseLocale('de', ['de']))
  expect(names('ubersicht')[0]).toBe('Übersicht')
})

test('a phone number opens its conversation, and a part of a number is searched for', () => {
  expect(commandsFor('+44 7400 123456', none)[0]).toEqual({
    path: '/conversations/%2B447400123456',
    name: 'Conversation with +447400123456',
    icon: 'conversations',
  })
  expect(names('+4474')).toEqual(['Search conversations for “+4474”'])
})
