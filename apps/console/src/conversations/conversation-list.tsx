import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core'
import type { Conversation, ConversationMatch } from '@smsgw/contract/inbox/conversation'
import type { Label } from '@smsgw/contract/inbox/shared-inbox'
import { type RefObject, useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { type ListedFolder, listedFolders, type useConversations, useOutsideInbox } from '../api/conversations.ts'
import { useLabels } from '../api/shared-inbox.ts'
import { waitingText, waitingTone } from '../messages/timeline-words.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icon.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { WindowedList } from '../ui/lists/windowed-list.tsx'
import { MessageMark } from '../ui/message-mark.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { momentWords, shortCount } from '../ui/values/relative-words.ts'
import { shownNumber } from '../ui/values/shown-number.ts'
import { directionOf, t } from '../words/text.ts'
import { conversationPath, newConversationPath } from './conversation-path.ts'
import '../shell/unread-badge.css'
import { shortLead } from './text-parts.ts'
import './conversation-list.css'

export function ConversationList({
  conversations,
  found,
  shown,
  isTitled,
  search,
  onSearch,
  folder,
  onFolder,
  label,
  onLabel,
  settledSearch,
  searchField,
}: {
  readonly conversations: ReturnType<typeof useConversations>
  /** The conversations of all loaded pages. */
  readonly found: readonly Conversation[]
  readonly shown: string | undefined
  /** True if the heading of the list is the heading of the page. */
  readonly isTitled: boolean
  readonly search: string
  readonly onSearch: (search: string) => void
  readonly folder: ListedFolder
  readonly onFolder: (folder: string) => void
  /** Id of the label of the listed conversations, or empty. */
  readonly label: string
  readonly onLabel: (label: string) => void
  /** The search text to which the listed conversations belong. */
  readonly settledSearch: string
  readonly searchField: RefObject<HTMLInputElement | null>
}) {
  const scroll = useRef<HTMLElement>(null)
  const [, goTo] = useLocation()
  const Heading = isTitled ? 'h1' : 'h2'
  const { data: labels = [] } = useLabels()
  const searchedSince = conversations.data?.pages.at(-1)?.searchedSince
  const isSearching = useSearchOfOlder(
    conversations,
    search !== '' && search === settledSearch ? found.length : undefined,
  )
  return (
    <section ref={scroll} className="conversation-list" aria-label={t('conversations.title')}>
      <header>
        <div>
          <Heading>{t('conversations.title')}</Heading>
          <Link
            href="/messages"
            className="conversation-list-all"
            title={t('common.withKey', { name: t('conversations.outgoing'), key: 'g m' })}
          >
            {t('conversations.outgoing')}
            <Icon name="onward" size={14} />
          </Link>
        </div>
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
        dir={directionOf(search)}
        aria-label={t('conversations.search')}
        placeholder={t('keyboard.search')}
        leftSection={<Icon name="search" size={16} />}
        rightSection={search === '' ? <kbd>/</kbd> : undefined}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = found
          if (event.key === 'Enter' && search === settledSearch && first !== undefined)
            goTo(pathOf(first, { search, folder, label }))
          if (event.key !== 'Escape') return
          onSearch('')
          event.currentTarget.blur()
        }}
      />
      {search === '' && (
        <div className="conversation-list-filters">
          <NativeSelect
            aria-label={t('inbox.folder')}
            value={folder}
            data={listedFolders.map((value) => ({ value, label: t(`inbox.folder.${value}`) }))}
            onChange={(event) => onFolder(event.currentTarget.value)}
          />
          {(labels.length > 0 || label !== '') && (
            <NativeSelect
              aria-label={t('inbox.label')}
              value={label}
              data={labelChoices(labels, label)}
              onChange={(event) => onLabel(event.currentTarget.value)}
            />
          )}
        </div>
      )}
      <ProblemNote error={conversations.error} retry={() => void conversations.refetch()} />
      {conversations.isPending && <WaitingLines lines={6} />}
      {found.length > 0 && (
        <WindowedList
          className="conversation-list-items"
          itemHeight={66}
          current={shown}
          scroll={scroll}
          items={found}
          keyOf={({ number }) => number}
          draw={(conversation) => ({
            children: (
              <ListedConversation
                conversation={conversation}
                labels={labels}
                isShown={conversation.number === shown}
                path={pathOf(conversation, { search: settledSearch, folder, label })}
              />
            ),
          })}
          isComplete={!conversations.hasNextPage}
        />
      )}
      {conversations.isSuccess && !conversations.isPlaceholderData && !isSearching && found.length === 0 && (
        <None search={search} isFiltered={folder !== 'inbox' || label !== ''} isTitled={isTitled} />
      )}
      {searchedSince !== undefined && search !== '' && (
        <p className="small quiet conversation-list-since" role="status">
          {t('conversations.searchedSince', { when: momentWords(searchedSince) })}
        </p>
      )}
      {conversations.hasNextPage && (
        <Button
          variant="subtle"
          loading={conversations.isFetchingNextPage}
          onClick={() => void conversations.fetchNextPage()}
        >
          {searchedSince !== undefined && search !== '' ? t('conversations.searchOlder') : t('common.loadMore')}
        </Button>
      )}
    </section>
  )
}

/** The number of results that fill the list. */
const ENOUGH = 20
/**
 * The largest number of pages per search, so that a search without results does not occupy the gateway for long.
 */
const MOST_PAGES = 30

/** Searches older messages until the list is full. Returns true while it is searching. */
function useSearchOfOlder(
  { data, hasNextPage, isFetching, isError, fetchNextPage }: ReturnType<typeof useConversations>,
  found: number | undefined,
): boolean {
  const last = data?.pages.at(-1)
  const isWanted =
    found !== undefined &&
    found < ENOUGH &&
    hasNextPage &&
    !isError &&
    last?.searchedSince !== undefined &&
    (data?.pages.length ?? 0) < MOST_PAGES
  useEffect(() => {
    if (isWanted && !isFetching) void fetchNextPage()
  }, [isWanted, isFetching, fetchNextPage])
  return isWanted
}

function None({
  search,
  isFiltered,
  isTitled,
}: {
  readonly search: string
  readonly isFiltered: boolean
  readonly isTitled: boolean
}) {
  if (search !== '')
    return (
      <EmptyState icon="search" title={t('common.noResults')}>
        {t('conversations.noResults', { search })}
      </EmptyState>
    )
  if (isFiltered)
    return (
      <EmptyState icon="conversations" title={t('inbox.nothing')}>
        {t('inbox.nothingHelp')}
      </EmptyState>
    )
  return <EmptyInbox isTitled={isTitled} />
}

/** Says that there are no conversations, or that all of them are archived or blocked. */
function EmptyInbox({ isTitled }: { readonly isTitled: boolean }) {
  const { isPending, data: { hasArchived, hasBlocked } = { hasArchived: false, hasBlocked: false } } = useOutsideInbox()
  if (isPending) return <WaitingLines />
  if (hasArchived || hasBlocked)
    return (
      <EmptyState
        icon="conversations"
        title={t('inbox.empty')}
        action={
          <Button
            component={Link}
            href={`/conversations?folder=${hasArchived ? 'archived' : 'blocked'}`}
            variant="default"
          >
            {hasArchived ? t('inbox.showArchived') : t('inbox.showBlocked')}
          </Button>
        }
      >
        {hasBlocked ? t('inbox.emptyBlocked') : t('inbox.emptyArchived')}
      </EmptyState>
    )
  // Beside an open conversation, the page already has a place to write.
  if (!isTitled)
    return (
      <EmptyState icon="conversations" title={t('inbox.nothing')}>
        {t('conversations.noneHelp')}
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

/** The most labels of a line of the list. The conversation itself shows all of them. */
const mostLabels = 4

function ListedConversation({
  conversation: {
    number,
    lastAt,
    lastText,
    lastDirection,
    lastState,
    lastWaiting,
    unread = 0,
    labels: chosen = [],
    match,
  },
  labels,
  isShown,
  path,
}: {
  readonly conversation: Conversation
  /** All labels of the account. */
  readonly labels: readonly Label[]
  readonly isShown: boolean
  readonly path: string
}) {
  const shown = labels.filter(({ id }) => chosen.includes(id))
  const hidden = shown.length - mostLabels
  return (
    <Link
      href={path}
      className={unread > 0 ? 'listed-conversation is-unread' : 'listed-conversation'}
      aria-current={isShown ? 'true' : undefined}
    >
      <span className="listed-conversation-head">
        <b dir="auto">{shownNumber(number)}</b>
        <RelativeTime at={lastAt} />
      </span>
      <span className="listed-conversation-text">
        {match === undefined && lastDirection === 'out' && lastState !== undefined && <MessageMark state={lastState} />}
        <span dir="auto" className="listed-conversation-preview">
          {match === undefined ? lastText : <Match match={match} />}
        </span>
        {unread > 0 && (
          <span className="unread-badge">
            <span aria-hidden="true">{shortCount(unread)}</span>
            <span className="unseen">{t('inbox.unread', { count: unread })}</span>
          </span>
        )}
      </span>
      {match === undefined && lastWaiting !== undefined && (
        <span className={`listed-conversation-waiting is-${waitingTone(lastWaiting.reason)}`}>
          {waitingText(lastWaiting)}
        </span>
      )}
      {shown.length > 0 && (
        <span className="listed-conversation-labels">
          {shown.slice(0, hidden > 0 ? mostLabels : undefined).map(({ id, name }) => (
            <bdi key={id}>{name}</bdi>
          ))}
          {hidden > 0 && <span>{t('inbox.moreLabels', { count: hidden })}</span>}
        </span>
      )}
    </Link>
  )
}

function Match({ match: { excerpt, start, length } }: { readonly match: ConversationMatch }) {
  return (
    <>
      {shortLead(excerpt.slice(0, start))}
      <mark>{excerpt.slice(start, start + length)}</mark>
      {excerpt.slice(start + length)}
    </>
  )
}

/**
 * Returns the choices of labels. If the address contains a deleted label, this label stays selected, so that the empty
 * list is explained.
 */
function labelChoices(labels: readonly Label[], chosen: string) {
  const choices = [
    { value: '', label: t('inbox.anyLabel') },
    ...labels.map(({ id, name }) => ({ value: id, label: name })),
  ]
  return choices.some(({ value }) => value === chosen) ? choices : [...choices, { value: chosen, label: chosen }]
}

/**
 * Returns the address of a conversation. After a search, the address opens the conversation at the message that was
 * found.
 */
export function pathOf(
  { number, match }: Conversation,
  { search, folder, label }: { readonly search: string; readonly folder: ListedFolder; readonly label: string },
): string {
  return conversationPath(number, {
    q: search,
    folder: folder === 'inbox' ? undefined : folder,
    label,
    at: match?.id,
  })
}
