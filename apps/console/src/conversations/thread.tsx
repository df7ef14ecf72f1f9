import { Button } from '@mantine/core'
import { isNumberAlias } from '@smsgw/contract/devices/number-alias'
import type { ConversationEntry } from '@smsgw/contract/inbox/conversation'
import { isDialledAsReceived } from '@smsgw/contract/messages/dialled-as-received'
import { isCancelledError } from '@tanstack/react-query'
import { Fragment, memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useSendMessage, useThread } from '../api/conversations.ts'
import { useChangeConversation, useConversationDetails } from '../api/shared-inbox.ts'
import { ShowsPictures } from '../messages/picture.tsx'
import { useSignedIn } from '../session-context.ts'
import { Icon } from '../ui/icon.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { WindowedPart } from '../ui/lists/windowed-part.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { dayWords } from '../ui/values/day-words.ts'
import { shownNumber } from '../ui/values/shown-number.ts'
import { t } from '../words/text.ts'
import { Bubble } from './bubble.tsx'
import { Composer } from './composer.tsx'
import { ConversationMenu } from './conversation-menu.tsx'
import { conversationPath } from './conversation-path.ts'
import { draftKey } from './drafts.ts'
import { ThreadHead } from './thread-head.tsx'
import './thread.css'

/** Messages with one number, oldest first, and the composer. */
export function Thread({
  number,
  around,
  search = '',
}: {
  readonly number: string
  /** Id of the message at which the conversation is opened. */
  readonly around?: string | undefined
  /** The search text that found this message. */
  readonly search?: string
}) {
  const { username } = useSignedIn()
  const thread = useThread(number, around)
  const send = useSendMessage()
  const pages = thread.data?.pages ?? []
  const scroll = useRef<HTMLDivElement>(null)
  const isLatest = !thread.hasPreviousPage
  const isAtEnd = useStickToEnd(scroll, pages.at(-1)?.body.at(-1)?.id, isLatest, around)
  const newest = pages[0]?.body[0]?.id
  const unread = pages.flatMap(({ body }) => body.filter((entry) => entry.direction === 'in' && entry.isUnread)).length
  useMarkRead(number, isLatest && isAtEnd && unread > 0 ? newest : undefined)
  const isKnown = useIsKnown(number)
  const earlier = useRef<HTMLButtonElement>(null)
  const [failure, loadEarlier] = useLoadEarlier(thread, `${number} ${around}`)
  // After an error, earlier messages are loaded only with the button.
  const comesByItself = thread.hasNextPage && !thread.isFetching && failure === null
  useWhenSeen(earlier, scroll, comesByItself, loadEarlier)
  return (
    <section className="thread" aria-label={t('thread.title', { number: shownNumber(number) })}>
      <ThreadHead title={shownNumber(number)}>
        {pages[0] !== undefined && <ConversationMenu number={number} />}
      </ThreadHead>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll must be reachable by key */}
      <div className="thread-scroll" ref={scroll} role="log" aria-label={t('messages.list')} tabIndex={0}>
        <ProblemNote
          error={failure ?? thread.error}
          retry={failure === null ? () => void thread.refetch() : loadEarlier}
        />
        {thread.isPending && <WaitingLines lines={4} />}
        {thread.hasNextPage && (
          <Button
            ref={earlier}
            variant="subtle"
            className="thread-earlier"
            loading={thread.isFetchingNextPage}
            onClick={loadEarlier}
          >
            {t('thread.earlier')}
          </Button>
        )}
        {thread.isSuccess && pages[0]?.body.length === 0 && <p className="quiet">{t('thread.none')}</p>}
        <ShowsPictures value={isKnown}>
          {pages
            .map((page, at) => (
              <ThreadPage
                key={thread.data?.pageParams[at] ?? 'newest'}
                scroll={scroll}
                items={page.body}
                before={pages[at + 1]?.body[0]}
                number={number}
                marked={search}
                match={around}
              />
            ))
            .toReversed()}
        </ShowsPictures>
        {thread.hasPreviousPage && (
          <Button
            variant="subtle"
            className="thread-earlier"
            loading={thread.isFetchingPreviousPage}
            onClick={() => void thread.fetchPreviousPage()}
          >
            {t('thread.later')}
          </Button>
        )}
      </div>
      <div className="thread-float">
        {unread > 0 && !isAtEnd && isLatest && (
          <Button
            size="compact-sm"
            className="thread-new"
            leftSection={<Icon name="down" size={16} />}
            onClick={() => scroll.current?.scrollTo({ top: scroll.current.scrollHeight })}
          >
            {t('thread.newMessages', { count: unread })}
          </Button>
        )}
        {!isLatest && (
          <Button component={Link} href={conversationPath(number)} size="compact-sm" className="thread-new">
            {t('thread.latest')}
          </Button>
        )}
      </div>
      {!canBeCalled.test(number) && !isNumberAlias(number) ? (
        <p className="thread-silent small quiet">{t('thread.noReply', { number })}</p>
      ) : (
        <Composer
          draftKey={draftKey(username, number)}
          isBusy={send.isPending}
          error={send.error}
          onEdit={send.reset}
          onSend={(message) =>
            send.mutateAsync({ ...message, phoneNumbers: [number], dialsAsReceived: isDialledAsReceived(number) })
          }
        />
      )}
    </section>
  )
}

/** Whether somebody has written to this number, or has given it a label or an assignee. Other numbers are strangers. */
function useIsKnown(number: string): boolean {
  const { data: details } = useConversationDetails(number)
  return details?.hasSent === true || details?.assignee !== undefined || (details?.labels.length ?? 0) > 0
}

/** Matches numbers that a modem can dial. */
const canBeCalled = /^\+?[0-9*#]+$/

/**
 * The messages of one page of the API. They are rendered again only when they change, because a thread can have
 * thousands of messages.
 */
const ThreadPage = memo(function ThreadPage({
  scroll,
  items,
  before,
  number,
  marked,
  match,
}: {
  readonly scroll: RefObject<HTMLElement | null>
  /** The messages of the page, newest first. */
  readonly items: readonly ConversationEntry[]
  /** The message above the first item. */
  readonly before: ConversationEntry | undefined
  readonly number: string
  readonly marked: string | undefined
  readonly match: string | undefined
}) {
  return (
    <WindowedPart scroll={scroll} className="thread-page">
      {items
        .map((item, at) => (
          <Fragment key={item.direction + item.id}>
            {startsDay(items[at + 1] ?? before, item) && <p className="thread-day">{dayWords(item.at, Date.now())}</p>}
            <Bubble
              item={item}
              number={number}
              isGrouped={continues(items[at + 1] ?? before, item)}
              marked={item.id === match ? marked : undefined}
              isMatch={item.id === match}
            />
          </Fragment>
        ))
        .toReversed()}
    </WindowedPart>
  )
})

function startsDay(before: ConversationEntry | undefined, item: ConversationEntry): boolean {
  return before === undefined || new Date(before.at).toDateString() !== new Date(item.at).toDateString()
}

const oneBreathMs = 120_000

/** True if the same side writes again soon, so that both messages are shown as a group. */
function continues(before: ConversationEntry | undefined, item: ConversationEntry): boolean {
  if (before === undefined || before.direction !== item.direction) return false
  return Date.parse(item.at) - Date.parse(before.at) < oneBreathMs && !startsDay(before, item)
}

/**
 * Loads earlier messages and keeps the error of the last attempt. The query discards an error when a new message
 * arrives, although the cause of the error may still exist.
 */
function useLoadEarlier(thread: ReturnType<typeof useThread>, place: string): [Error | null, () => void] {
  const [failure, setFailure] = useState<{ readonly place: string; readonly error: Error }>()
  const load = () =>
    void thread.fetchNextPage({ throwOnError: true }).then(
      () => setFailure(undefined),
      (error: Error) => {
        if (!isCancelledError(error)) setFailure({ place, error })
      },
    )
  return [failure?.place === place ? failure.error : null, load]
}

/** Loads earlier messages when the start of the list is nearly visible. */
function useWhenSeen(
  element: RefObject<Element | null>,
  within: RefObject<Element | null>,
  isWanted: boolean,
  act: () => void,
): void {
  useEffect(() => {
    if (!isWanted || element.current === null) return
    const watcher = new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && act(), {
      root: within.current,
      rootMargin: '600px 0px 0px',
    })
    watcher.observe(element.current)
    return () => watcher.disconnect()
  })
}

/** Marks messages up to the newest message as read when the page is visible. */
function useMarkRead(number: string, newest: string | undefined): void {
  const { mutate } = useChangeConversation(number)
  useEffect(() => {
    if (newest === undefined) return
    const mark = () => {
      if (document.visibilityState === 'visible') mutate({ readUpTo: newest })
    }
    mark()
    document.addEventListener('visibilitychange', mark)
    return () => document.removeEventListener('visibilitychange', mark)
  }, [mutate, newest])
}

/**
 * At the end of the conversation, the page scrolls to new messages. Elsewhere, it keeps its position, even when earlier
 * messages are added above. If a conversation is opened at a message, the page begins at this message. Returns true if
 * the end is visible.
 */
function useStickToEnd(
  scroll: RefObject<HTMLDivElement | null>,
  first = '',
  isLatest: boolean,
  at: string | undefined,
): boolean {
  const [isAtEnd, setAtEnd] = useState(at === undefined)
  const before = useRef({ height: 0, top: 0, isAtEnd: at === undefined, first, isPlaced: at === undefined })
  // Runs after each render, because each render may have changed the height.
  useLayoutEffect(() => {
    const element = scroll.current
    if (element === null) return
    // After somebody has scrolled up, a render may come before the scroll event.
    if (element.scrollTop < before.current.top - 60) before.current.isAtEnd = false
    const match = before.current.isPlaced ? null : element.querySelector('[data-match]')
    if (match !== null) {
      match.scrollIntoView({ block: 'center' })
      before.current.isPlaced = true
    } else if (before.current.isAtEnd && isLatest) element.scrollTop = element.scrollHeight
    else if (before.current.first !== first && before.current.isPlaced)
      element.scrollTop += element.scrollHeight - before.current.height
    before.current = { ...before.current, height: element.scrollHeight, top: element.scrollTop, first }
  })
  useLayoutEffect(() => {
    const element = scroll.current
    const note = () => {
      if (element === null) return
      before.current.isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 60
      setAtEnd(before.current.isAtEnd)
    }
    element?.addEventListener('scroll', note, { passive: true })
    return () => element?.removeEventListener('scroll', note)
  }, [scroll])
  return isAtEnd
}
