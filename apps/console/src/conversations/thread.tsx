import { Button } from '@mantine/core'
import type { ConversationEntry } from '@smsgw/contract/conversation'
import { Fragment, memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useSendMessage, useThread } from '../api/conversations.ts'
import { useSignedIn } from '../session-context.ts'
import { dayWords } from '../ui/day-words.ts'
import { ProblemNote } from '../ui/problem-note.tsx'
import { WaitingLines } from '../ui/waiting-lines.tsx'
import { t } from '../words/text.ts'
import { Bubble } from './bubble.tsx'
import { Composer } from './composer.tsx'
import { draftKey } from './drafts.ts'
import { ThreadHead } from './thread-head.tsx'
import './thread.css'

/** Messages with one number, oldest first, and the composer. */
export function Thread({ number }: { readonly number: string }) {
  const { username } = useSignedIn()
  const thread = useThread(number)
  const send = useSendMessage()
  const pages = thread.data?.pages ?? []
  const scroll = useRef<HTMLDivElement>(null)
  useStickToEnd(scroll, pages.at(-1)?.body.at(-1)?.id)
  const earlier = useRef<HTMLButtonElement>(null)
  const hasFailed = useRemembered(thread.isFetchNextPageError, `${number} ${pages.length}`)
  // After an error, earlier messages are loaded with the button only.
  const comesByItself = thread.hasNextPage && !thread.isFetching && !hasFailed
  useWhenSeen(earlier, scroll, comesByItself, () => void thread.fetchNextPage())
  return (
    <section className="thread" aria-label={t('thread.title', { number })}>
      <ThreadHead title={number} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll must be reachable by key */}
      <div className="thread-scroll" ref={scroll} role="log" aria-label={t('messages.list')} tabIndex={0}>
        <ProblemNote error={thread.error} retry={() => void thread.refetch()} />
        {thread.isPending && <WaitingLines lines={4} />}
        {thread.hasNextPage && (
          <Button
            ref={earlier}
            variant="subtle"
            className="thread-earlier"
            loading={thread.isFetchingNextPage}
            onClick={() => void thread.fetchNextPage()}
          >
            {t('thread.earlier')}
          </Button>
        )}
        {thread.isSuccess && pages[0]?.body.length === 0 && <p className="quiet">{t('thread.none')}</p>}
        {pages
          .map((page, at) => (
            <ThreadPage
              key={thread.data?.pageParams[at] ?? 'newest'}
              items={page.body}
              before={pages[at + 1]?.body[0]}
              number={number}
            />
          ))
          .toReversed()}
      </div>
      {!canBeCalled.test(number) ? (
        <p className="thread-silent small quiet">{t('thread.noReply', { number })}</p>
      ) : (
        <Composer
          draftKey={draftKey(username, number)}
          isBusy={send.isPending}
          error={send.error}
          onSend={(message) => send.mutateAsync({ ...message, phoneNumbers: [number] })}
        />
      )}
    </section>
  )
}

/** Numbers that a modem can dial. */
const canBeCalled = /^\+?[0-9*#]+$/

/** The messages of one page of the API. They are rendered again only when they change, because a thread can have thousands. */
const ThreadPage = memo(function ThreadPage({
  items,
  before,
  number,
}: {
  /** Newest first. */
  readonly items: readonly ConversationEntry[]
  /** The message above the first of these. */
  readonly before: ConversationEntry | undefined
  readonly number: string
}) {
  return (
    <div className="thread-page">
      {items
        .map((item, at) => (
          <Fragment key={item.direction + item.id}>
            {startsDay(items[at + 1] ?? before, item) && <p className="thread-day">{dayWords(item.at, Date.now())}</p>}
            <Bubble item={item} number={number} isGrouped={continues(items[at + 1] ?? before, item)} />
          </Fragment>
        ))
        .toReversed()}
    </div>
  )
})

function startsDay(before: ConversationEntry | undefined, item: ConversationEntry): boolean {
  return before === undefined || new Date(before.at).toDateString() !== new Date(item.at).toDateString()
}

const oneBreathMs = 120_000

/** Whether the same side writes again soon after, so that both messages are grouped. */
function continues(before: ConversationEntry | undefined, item: ConversationEntry): boolean {
  if (before === undefined || before.direction !== item.direction) return false
  return Date.parse(item.at) - Date.parse(before.at) < oneBreathMs && !startsDay(before, item)
}

/** Remembers an error at this position, because a new message below clears the error but not its cause. */
function useRemembered(isSo: boolean, place: string): boolean {
  const [last, setLast] = useState<string>()
  useEffect(() => {
    if (isSo) setLast(place)
  }, [isSo, place])
  return isSo || last === place
}

/** Loads earlier messages before the top is reached. */
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

/**
 * Keeps the end in view while it is shown. After scrolling up the position stays the same, also when earlier messages are
 * added above.
 */
function useStickToEnd(scroll: RefObject<HTMLDivElement | null>, first = ''): void {
  const before = useRef({ height: 0, isAtEnd: true, first })
  // After each render, because any may change the height.
  useLayoutEffect(() => {
    const element = scroll.current
    if (element === null) return
    if (before.current.isAtEnd) element.scrollTop = element.scrollHeight
    else if (before.current.first !== first) element.scrollTop += element.scrollHeight - before.current.height
    before.current = { ...before.current, height: element.scrollHeight, first }
  })
  useLayoutEffect(() => {
    const element = scroll.current
    const note = () => {
      if (element === null) return
      before.current.isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 60
    }
    element?.addEventListener('scroll', note, { passive: true })
    return () => element?.removeEventListener('scroll', note)
  }, [scroll])
}
