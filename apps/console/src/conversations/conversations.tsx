import { useDebouncedValue } from '@mantine/hooks'
import { useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useConversations } from '../api/conversations.ts'
import type { Keys } from '../shell/key-sequence.ts'
import { useKeys } from '../shell/keys.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { useTitle } from '../ui/page.tsx'
import { usePathPart } from '../ui/path-part.ts'
import { rich, t } from '../words/text.ts'
import { ConversationList } from './conversation-list.tsx'
import { conversationPath } from './conversation-path.ts'
import { NewConversation } from './new-conversation.tsx'
import { Thread } from './thread.tsx'
import './conversations.css'

export default function Conversations({ isNew = false }: { readonly isNew?: boolean }) {
  const shown = usePathPart('/conversations')
  useTitle(isNew ? t('conversations.new') : (shown ?? t('conversations.title')))
  const [search, setSearch] = useState('')
  const [settled] = useDebouncedValue(search, 200)
  const conversations = useConversations(settled)
  const searchField = useRef<HTMLInputElement>(null)
  const numbers = conversations.data?.pages.flatMap(({ body }) => body.map((conversation) => conversation.number)) ?? []
  useKeys(useConversationKeys(numbers, shown, searchField))
  return (
    <div className={shown === undefined && !isNew ? 'conversations' : 'conversations has-thread'}>
      <ConversationList
        conversations={conversations}
        shown={shown}
        isTitled={shown === undefined && !isNew}
        search={search}
        onSearch={setSearch}
        searchField={searchField}
      />
      <div className="conversations-thread">
        {shown === undefined && !isNew && (
          <NothingChosen isEmpty={conversations.isSuccess && numbers.length === 0 && settled === ''} />
        )}
        {isNew && <NewConversation />}
        {shown !== undefined && <Thread key={shown} number={shown} />}
      </div>
    </div>
  )
}

function NothingChosen({ isEmpty }: { readonly isEmpty: boolean }) {
  return (
    <EmptyState icon="conversations" title={isEmpty ? t('conversations.none') : t('conversations.choose')}>
      {isEmpty ? rich('conversations.noneKeys') : rich('conversations.chooseKeys')}
    </EmptyState>
  )
}

function useConversationKeys(
  numbers: readonly string[],
  shown: string | undefined,
  searchField: React.RefObject<HTMLInputElement | null>,
): Keys {
  const [, goTo] = useLocation()
  const list = numbers.join(' ')
  return useMemo(() => {
    const all = list.split(' ')
    const at = shown === undefined ? -1 : all.indexOf(shown)
    const step = (by: number) => {
      const next = all[Math.min(Math.max(at + by, 0), all.length - 1)]
      if (next !== undefined && next !== '') goTo(conversationPath(next))
    }
    return {
      '/': () => searchField.current?.focus(),
      j: () => step(1),
      k: () => step(-1),
      r: () => document.querySelector<HTMLElement>('#composer')?.focus(),
      Escape: () => goTo('/conversations'),
    }
  }, [list, shown, goTo, searchField])
}
