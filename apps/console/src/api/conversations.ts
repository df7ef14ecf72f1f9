import type { Conversation, ConversationEntry } from '@smsgw/contract/inbox/conversation'
import type { InboxItem } from '@smsgw/contract/inbox/inbox'
import type { MessageStateAnswer } from '@smsgw/contract/messages/message'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { refresh, useNewestFirst } from './live/newest-first.ts'
import { ApiFailure, ask, get, queryString } from './request/ask.ts'

/**
 * Lists conversations, newest first. A search first lists conversations whose number contains the text, and then
 * conversations with a message that contains the text.
 */
export function useConversations(search: string, folder: ListedFolder = 'all', label = '') {
  return useNewestFirst<Conversation>({
    queryKey: ['conversations', search, folder, label],
    keepsPrevious: true,
    read: (cursor, signal) =>
      ask('GET', `/conversations${queryString({ q: search, ...filters[folder], label, cursor })}`, undefined, signal),
    idOf: ({ number }) => number,
    nameOf: ({ lastMessageId }) => lastMessageId,
  })
}

/**
 * The conversations of all pages, each once. A search finds a conversation again when an older message also contains
 * the text.
 */
export function listed(pages: readonly { readonly body: readonly Conversation[] }[]): Conversation[] {
  const found = new Map<string, Conversation>()
  for (const one of pages.flatMap(({ body }) => body)) if (!found.has(one.number)) found.set(one.number, one)
  return [...found.values()]
}

export const listedFolders = ['inbox', 'unread', 'archived', 'blocked', 'all'] as const
export type ListedFolder = (typeof listedFolders)[number]

const filters: Readonly<Record<ListedFolder, { readonly folder?: string; readonly unread?: boolean }>> = {
  inbox: { folder: 'inbox' },
  unread: { unread: true },
  archived: { folder: 'archived' },
  blocked: { folder: 'blocked' },
  all: {},
}

/** Whether there are archived and blocked conversations. Used when the inbox is empty. */
export function useOutsideInbox(isWanted = true) {
  return useQuery({
    queryKey: ['outside-inbox'],
    enabled: isWanted,
    // Not cached, because a conversation may just have been archived.
    gcTime: 0,
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const isUsed = async (folder: string) =>
        (await get<readonly Conversation[]>(`/conversations${queryString({ folder, limit: 1 })}`, signal)).length > 0
      const [hasArchived, hasBlocked] = await Promise.all([isUsed('archived'), isUsed('blocked')])
      return { hasArchived, hasBlocked }
    },
  })
}

/**
 * Lists messages with one number, newest first.
 * @param around the id of the message at which the conversation is opened; by default the newest message
 */
export function useThread(number: string, around: string | undefined) {
  return useNewestFirst<ConversationEntry>({
    queryKey: ['thread', number, around ?? ''],
    startsInside: around !== undefined,
    read: (cursor, signal) =>
      ask(
        'GET',
        `/conversations/${encodeURIComponent(number)}${queryString(cursor === undefined ? { around } : { cursor })}`,
        undefined,
        signal,
      ),
    idOf: ({ direction, id }) => `${direction} ${id}`,
    nameOf: ({ id }) => id,
  })
}

/** The reply to a message: the newest later message that `isReply` accepts. Polls until the reply has arrived. */
export function useReply(
  deviceId: string,
  sentAt: string | undefined,
  isAwaited: boolean,
  isReply: (item: InboxItem) => boolean,
) {
  const client = useQueryClient()
  const queryKey = ['reply', deviceId, sentAt]
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const sentMs = Date.parse(sentAt ?? '')
      const from = new Date(sentMs - wrongClockMs).toISOString()
      const items = await get<readonly InboxItem[]>(`/inbox${queryString({ deviceId, from, limit: 100 })}`, signal)
      const earlier = client.getQueryData<{ readonly earlier: ReadonlySet<string> }>(queryKey)?.earlier
      return replyIn(items, earlier ?? earlierIds(items, sentMs), isReply)
    },
    select: ({ reply }) => reply,
    enabled: isAwaited && sentAt !== undefined,
    refetchInterval: ({ state: { data } }) => (data?.reply == null ? replyEveryMs : false),
  })
}

/**
 * Returns the ids of the messages that were there before the message was sent. The list is loaded directly after
 * sending. Every message that is not in this list may be the reply, even if its time is earlier, because the clock of a
 * network may be hours behind.
 */
export function earlierIds(items: readonly Pick<InboxItem, 'id' | 'createdAt'>[], sentMs: number): ReadonlySet<string> {
  return new Set(items.filter(({ createdAt }) => Date.parse(createdAt) < sentMs - clockToleranceMs).map(({ id }) => id))
}

export function replyIn<Item extends { readonly id: string }>(
  items: readonly Item[],
  earlier: ReadonlySet<string>,
  isReply: (item: Item) => boolean,
) {
  return { earlier, reply: items.find((item) => !earlier.has(item.id) && isReply(item)) ?? null }
}

const clockToleranceMs = 60_000
/** The clocks of networks with the wrong time zone are at most this far behind. */
const wrongClockMs = 14 * 3_600_000
const replyEveryMs = 2_000

export interface ComposedMessage {
  readonly phoneNumbers: readonly string[]
  readonly textMessage: { readonly text: string }
  readonly withDeliveryReport: boolean
  readonly deviceId?: string
  readonly simNumber?: number
  readonly scheduleAt?: string
  /** Sends to the numbers as the network reported them, without checks. Not part of the body of the request. */
  readonly dialsAsReceived?: boolean
}

export function useSendMessage() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ dialsAsReceived, ...message }: ComposedMessage) =>
      underOneKey(
        message,
        async (key) => {
          const headers = { 'idempotency-key': key }
          const checks = { allowShortCodes: true, skipPhoneValidation: dialsAsReceived || undefined }
          const path = `/messages${queryString(checks)}`
          return (await ask<MessageStateAnswer>('POST', path, message, undefined, headers)).body
        },
        (error) => error instanceof ApiFailure && error.status >= 400 && error.status < 500,
      ),
    // Does not wait for the result, so that sending does not wait until the lists are reloaded.
    onSuccess: () => void refresh(client, [['conversations', ''], ['thread']]),
  })
}

/** The idempotency keys of requests that were not answered, by the body of the request. */
const unanswered = new Map<string, string>()

export function forgetUnanswered(): void {
  unanswered.clear()
}

/**
 * Sends a request with an idempotency key. A request without an answer may have been carried out. So an equal request
 * gets the same key, and is not carried out a second time.
 */
export async function underOneKey<T>(
  body: object,
  make: (key: string) => Promise<T>,
  isAnswer: (error: unknown) => boolean,
): Promise<T> {
  const asked = JSON.stringify(body)
  const key = unanswered.get(asked) ?? newKey()
  unanswered.set(asked, key)
  try {
    const answer = await make(key)
    unanswered.delete(asked)
    return answer
  } catch (error) {
    if (isAnswer(error)) unanswered.delete(asked)
    throw error
  }
}

/** Creates a key. `randomUUID` does not exist on pages over plain HTTP. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
