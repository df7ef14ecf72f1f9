import type { Conversation, ConversationEntry } from '@smsgw/contract/conversation'
import type { MessageStateAnswer } from '@smsgw/contract/message'
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { ask, query } from './ask.ts'

const first: string | undefined = undefined

/** Newest first; `search` is part of a number or of a text. */
export function useConversations(search: string) {
  return useInfiniteQuery({
    queryKey: ['conversations', search],
    initialPageParam: first,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) =>
      ask<readonly Conversation[]>(
        'GET',
        `/conversations${query({ q: search, cursor: pageParam })}`,
        undefined,
        signal,
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
}

/** What was said with one number, newest first. */
export function useThread(number: string) {
  return useInfiniteQuery({
    queryKey: ['thread', number],
    initialPageParam: first,
    queryFn: ({ pageParam, signal }) =>
      ask<readonly ConversationEntry[]>(
        'GET',
        `/conversations/${encodeURIComponent(number)}${query({ cursor: pageParam })}`,
        undefined,
        signal,
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
}

export interface NewMessage {
  readonly phoneNumbers: readonly string[]
  readonly textMessage: { readonly text: string }
  readonly withDeliveryReport: boolean
  readonly deviceId?: string
  readonly simNumber?: number
  readonly scheduleAt?: string
}

export function useSendMessage() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (message: NewMessage) => (await ask<MessageStateAnswer>('POST', '/messages', message)).body,
    onSuccess: () =>
      Promise.all(['conversations', 'thread'].map((key) => client.invalidateQueries({ queryKey: [key] }))),
  })
}
