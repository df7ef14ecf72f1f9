import { conversationPath, newConversationPath } from '../../conversations/conversation-path.ts'
import { setupPath } from '../../setup/setup-path.ts'
import { locale, t } from '../../words/text.ts'
import { placeName, places } from '../places.ts'
import type { NamedAction } from './page-actions.ts'

/** A command opens a path or runs an action. */
export type PaletteCommand = NamedAction | (Omit<NamedAction, 'run'> & { readonly path: string })

export interface PaletteActions {
  /** The actions of the shown page, such as those for a conversation. They are listed before the pages. */
  readonly ofPage: readonly NamedAction[]
  /** The actions of every page. */
  readonly ofAccount: readonly NamedAction[]
}

/**
 * Returns the commands whose names contain all words of the search. Any text can also be searched in the conversations.
 * If the search is a whole phone number, its conversation is first.
 */
export function commandsFor(search: string, { ofPage, ofAccount }: PaletteActions): readonly PaletteCommand[] {
  const words = folded(search).split(/\s+/)
  const all = [...ofPage, ...allPages(), ...ofAccount]
  const named = all.filter(({ name }) => words.every((word) => folded(name).includes(word)))
  const number = search.replace(/[\s().-]/g, '')
  if (search.trim() === '') return named
  const commands = [...named, searchFor(search.trim())]
  if (!/^\+\d{7,15}$/.test(number)) return commands
  return [{ path: conversationPath(number), name: t('thread.title', { number }), icon: 'conversations' }, ...commands]
}

function searchFor(search: string): PaletteCommand {
  return {
    path: `/conversations?q=${encodeURIComponent(search)}`,
    name: t('palette.search', { search }),
    icon: 'search',
  }
}

function allPages(): readonly PaletteCommand[] {
  return [
    { path: newConversationPath, name: t('conversations.new'), icon: 'plus' },
    ...places.map(({ path, icon }) => ({ path, icon, name: placeName(path) })),
    { path: '/messages', name: t('conversations.outgoing'), icon: 'send' },
    { path: setupPath, name: t('setup.title'), icon: 'devices' },
    { path: '/access', name: t('keys.title'), icon: 'access' },
  ]
}

/** Without case and accents, so that "ubersicht" finds "Übersicht". */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase(locale().tag)
}
