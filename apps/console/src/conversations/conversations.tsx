import { useDebouncedValue } from '@mantine/hooks'
import { useMemo, useRef } from 'react'
import { useLocation } from 'wouter'
import { type ListedFolder, listed, listedFolders, useConversations, useOutsideInbox } from '../api/conversations.ts'
import type { KeyActions } from '../shell/keyboard/key-sequence.ts'
import { useKeys } from '../shell/keyboard/keys.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { useTitle } from '../ui/page.tsx'
import { usePathPart } from '../ui/values/path-part.ts'
import { useUrlValue } from '../ui/values/url-value.ts'
import { rich, t } from '../words/text.ts'
import { ConversationList, pathOf } from './conversation-list.tsx'
import { listPath } from './conversation-path.ts'
import { NewConversation } from './new-conversation.tsx'
import { Thread } from './thread.tsx'
import './conversations.css'

export default function Conversations({ isNew = false }: { readonly isNew?: boolean }) {
  const shown = usePathPart('/conversations')
  useTitle(isNew ? t('conversations.new') : (shown ?? t('conversations.title')))
  const [search, setSearch] = useUrlValue('q', '')
  const [folder, setFolder] = useUrlValue<ListedFolder>('folder', 'inbox', listedFolders)
  const [label, setLabel] = useUrlValue('label', '')
  const [at] = useUrlValue('at', '')
  const [settled] = useDebouncedValue(search, 200)
  const conversations = useConversations(settled, settled === '' ? folder : 'all', settled === '' ? label : '')
  const searchField = useRef<HTMLInputElement>(null)
  const found = useMemo(() => listed(conversations.data?.pages ?? []), [conversations.data])
  const numbers = found.map(({ number }) => number)
  const paths = found.map((one) => pathOf(one, { search: settled, folder, label }))
  useKeys(useConversationKeys(numbers, paths, shown, searchField))
  return (
    <div className={shown === undefined && !isNew ? 'conversations' : 'conversations has-thread'}>
      <ConversationList
        conversations={conversations}
        found={found}
        shown={shown}
        isTitled={shown === undefined && !isNew}
        search={search}
        onSearch={setSearch}
        folder={folder}
        onFolder={setFolder}
        label={label}
        onLabel={setLabel}
        settledSearch={settled}
        searchField={searchField}
      />
      <div className="conversations-thread">
        {shown === undefined && !isNew && (
          <NothingChosen
            isEmpty={
              conversations.isSuccess && numbers.length === 0 && settled === '' && folder === 'inbox' && label === ''
            }
          />
        )}
        {isNew && <NewConversation />}
        {shown !== undefined && (
          <Thread key={`${shown} ${at}`} number={shown} around={at || undefined} search={settled} />
        )}
      </div>
    </div>
  )
}

function NothingChosen({ isEmpty }: { readonly isEmpty: boolean }) {
  const { data: outside } = useOutsideInbox(isEmpty)
  const none = outside?.hasArchived || outside?.hasBlocked ? t('inbox.empty') : t('conversations.none')
  return (
    <EmptyState icon="conversations" title={isEmpty ? none : t('conversations.choose')}>
      {isEmpty ? rich('conversations.noneKeys') : rich('conversations.chooseKeys')}
    </EmptyState>
  )
}

function useConversationKeys(
  numbers: readonly string[],
  paths: readonly string[],
  shown: string | undefined,
  searchField: React.RefObject<HTMLInputElement | null>,
): KeyActions {
  const [, goTo] = useLocation()
  const list = numbers.join('\n')
  const targets = paths.join('\n')
  return useMemo(() => {
    const all = list.split('\n')
    const links = targets.split('\n')
    const at = shown === undefined ? -1 : all.indexOf(shown)
    const step = (by: number) => {
      const next = links[Math.min(Math.max(at + by, 0), links.length - 1)]
      if (next !== undefined && next !== '') goTo(next)
    }
    return {
      '/': () => searchField.current?.focus(),
      j: () => step(1),
      k: () => step(-1),
      r: () => document.querySelector<HTMLElement>('#composer')?.focus(),
      Escape: () => goTo(listPath(location.search)),
    }
  }, [list, targets, shown, goTo, searchField])
}
