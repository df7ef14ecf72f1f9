import { Button } from '@mantine/core'
import type { ConversationEntry } from '@smsgw/contract/conversation'
import { Fragment, type RefObject, useLayoutEffect, useRef } from 'react'
import { useSendMessage, useThread } from '../api/conversations.ts'
import { ProblemNote } from '../ui/problem-note.tsx'
import { WaitingLines } from '../ui/waiting-lines.tsx'
import { Bubble } from './bubble.tsx'
import { Composer } from './composer.tsx'
import { dayWords } from './day-words.ts'
import { ThreadHead } from './thread-head.tsx'
import './thread.css'

/** Everything said with one number, oldest on top, and where to say more. */
export function Thread({ number }: { readonly number: string }) {
  const thread = useThread(number)
  const send = useSendMessage()
  const items = (thread.data?.pages.flatMap(({ body }) => body) ?? []).toReversed()
  const scroll = useRef<HTMLDivElement>(null)
  useStickToEnd(scroll, items)
  return (
    <section className="thread" aria-label={`Conversation with ${number}`}>
      <ThreadHead title={number} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll must be reachable by key */}
      <div className="thread-scroll" ref={scroll} role="log" aria-label="Messages" tabIndex={0}>
        <ProblemNote error={thread.error} retry={() => void thread.refetch()} />
        {thread.isPending && <WaitingLines lines={4} />}
        {thread.hasNextPage && (
          <Button variant="subtle" loading={thread.isFetchingNextPage} onClick={() => void thread.fetchNextPage()}>
            Earlier messages
          </Button>
        )}
        {thread.isSuccess && items.length === 0 && <p className="quiet">Nothing was said with this number yet.</p>}
        {items.map((item, at) => (
          <Fragment key={item.direction + item.id}>
            {startsDay(items, at) && <p className="thread-day">{dayWords(item.at, Date.now())}</p>}
            <Bubble item={item} number={number} isGrouped={continues(items, at)} />
          </Fragment>
        ))}
      </div>
      <Composer
        draftKey={number}
        isBusy={send.isPending}
        error={send.error}
        onSend={(message) => send.mutateAsync({ ...message, phoneNumbers: [number] })}
      />
    </section>
  )
}

function startsDay(items: readonly ConversationEntry[], at: number): boolean {
  const before = items[at - 1]
  const item = items[at]
  return before === undefined || new Date(before.at).toDateString() !== new Date(item?.at ?? 0).toDateString()
}

const oneBreathMs = 120_000

/** The same side goes on within a breath: nothing need stand between. */
function continues(items: readonly ConversationEntry[], at: number): boolean {
  const [before, item] = [items[at - 1], items[at]]
  if (before === undefined || item === undefined || before.direction !== item.direction) return false
  return Date.parse(item.at) - Date.parse(before.at) < oneBreathMs && !startsDay(items, at)
}

/**
 * Whoever reads the end goes along with what is new; whoever has scrolled up stays where they are, also when earlier
 * messages appear above.
 */
function useStickToEnd(scroll: RefObject<HTMLDivElement | null>, items: readonly ConversationEntry[]): void {
  const before = useRef({ height: 0, isAtEnd: true, first: '' })
  const first = items[0]?.id ?? ''
  // After each drawing: any may have changed the height.
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
