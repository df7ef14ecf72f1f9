import { ActionIcon, Button, TextInput } from '@mantine/core'
import type { Conversation } from '@smsgw/contract/conversation'
import type { RefObject } from 'react'
import { Link } from 'wouter'
import type { useConversations } from '../api/conversations.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icon.tsx'
import { MessageMark } from '../ui/message-mark.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { momentWords } from '../ui/relative-words.ts'
import { WaitingLines } from '../ui/waiting-lines.tsx'
import { t } from '../words/text.ts'
import { conversationPath, newConversationPath } from './conversation-path.ts'
import './conversation-list.css'

export function ConversationList({
  conversations,
  shown,
  isTitled,
  search,
  onSearch,
  searchField,
}: {
  readonly conversations: ReturnType<typeof useConversations>
  readonly shown: string | undefined
  /** Whether its heading is the heading of the page. */
  readonly isTitled: boolean
  readonly search: string
  readonly onSearch: (search: string) => void
  readonly searchField: RefObject<HTMLInputElement | null>
}) {
  const Heading = isTitled ? 'h1' : 'h2'
  const found = conversations.data?.pages.flatMap(({ body }) => body) ?? []
  const searchedSince = conversations.data?.pages[0]?.searchedSince
  return (
    <section className="conversation-list" aria-label={t('conversations.title')}>
      <header>
        <Heading>{t('conversations.title')}</Heading>
        <ActionIcon
          component={Link}
          href="/messages"
          variant="subtle"
          color="gray"
          size="lg"
          className="conversation-list-all"
          aria-label={t('conversations.outgoing')}
          title={t('common.withKey', { name: t('conversations.outgoing'), key: 'g m' })}
        >
          <Icon name="logs" />
        </ActionIcon>
        <ActionIcon
          component={Link}
          href={newConversationPath}
          variant="filled"
          size="lg"
          aria-label={t('conversations.new')}
          title={t('common.withKey', { name: t('conversations.new'), key: 'n' })}
        >
          <Icon name="plus" />
        </ActionIcon>
      </header>
      <TextInput
        ref={searchField}
        type="search"
        aria-label={t('conversations.search')}
        placeholder={t('conversations.search')}
        leftSection={<Icon name="search" size={16} />}
        rightSection={search === '' ? <kbd>/</kbd> : undefined}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          onSearch('')
          event.currentTarget.blur()
        }}
      />
      <ProblemNote error={conversations.error} retry={() => void conversations.refetch()} />
      {conversations.isPending && <WaitingLines lines={6} />}
      {found.length > 0 && (
        <ul>
          {found.map((conversation) => (
            <ListedConversation
              key={conversation.number}
              conversation={conversation}
              isShown={conversation.number === shown}
            />
          ))}
        </ul>
      )}
      {conversations.isSuccess && !conversations.isPlaceholderData && found.length === 0 && <None search={search} />}
      {searchedSince !== undefined && search !== '' && (
        <p className="small quiet conversation-list-since">
          {t('conversations.searchedSince', { when: momentWords(searchedSince) })}
        </p>
      )}
      {conversations.hasNextPage && (
        <Button
          variant="subtle"
          loading={conversations.isFetchingNextPage}
          onClick={() => void conversations.fetchNextPage()}
        >
          {t('common.loadMore')}
        </Button>
      )}
    </section>
  )
}

function None({ search }: { readonly search: string }) {
  if (search !== '')
    return (
      <EmptyState icon="search" title={t('common.noResults')}>
        {t('conversations.noResults', { search })}
      </EmptyState>
    )
  return (
    <div className="conversation-list-none">
      <EmptyState
        icon="conversations"
        title={t('conversations.none')}
        action={
          <Button component={Link} href={newConversationPath}>
            {t('conversations.first')}
          </Button>
        }
      >
        {t('conversations.noneHelp')}
      </EmptyState>
    </div>
  )
}

function ListedConversation({
  conversation: { number, lastAt, lastText, lastDirection, lastState },
  isShown,
}: {
  readonly conversation: Conversation
  readonly isShown: boolean
}) {
  return (
    <li>
      <Link href={conversationPath(number)} className="listed-conversation" aria-current={isShown ? 'true' : undefined}>
        <span className="listed-conversation-head">
          <b dir="auto">{number}</b>
          <RelativeTime at={lastAt} />
        </span>
        <span className="listed-conversation-text">
          {lastDirection === 'out' && lastState !== undefined && <MessageMark state={lastState} />}
          <span dir="auto">{lastText}</span>
        </span>
      </Link>
    </li>
  )
}
