import type { InboxItem } from '@smsgw/contract/inbox/inbox'
import type { MessageStateAnswer } from '@smsgw/contract/messages/message'
import type { Timeline } from '@smsgw/contract/messages/timeline'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { refresh, useNewestFirst } from './live/newest-first.ts'
import { ask, get, queryString } from './request/ask.ts'

export interface MessageFilter {
  readonly state?: string
  readonly deviceId?: string
  readonly sentBy?: string
  readonly from?: string
  readonly to?: string
}

/** Lists messages, newest first, with their content. */
export function useMessages(filter: MessageFilter) {
  return useNewestFirst<MessageStateAnswer>({
    queryKey: ['message-list', filter],
    firstCursor: 'start',
    keepsPrevious: true,
    read: (cursor, signal) =>
      ask(
        'GET',
        `/messages${queryString({ ...requested(filter), includeContent: true, includeAttachmentData: false, cursor })}`,
        undefined,
        signal,
      ),
    idOf: ({ id }) => id,
    nameOf: ({ id }) => id,
  })
}

/** Returns the filter for the API. A message is listed as failed if any of its recipients failed. */
function requested({ state, ...filter }: MessageFilter) {
  return state === 'Failed' ? { ...filter, hasFailed: true } : { ...filter, state }
}

export function useMessage(id: string) {
  return useQuery({
    queryKey: ['messages', id],
    queryFn: ({ signal }) =>
      get<MessageStateAnswer>(`/messages/${encodeURIComponent(id)}?includeAttachmentData=false`, signal),
    // Polls waiting messages, because the end of a wait causes no event.
    refetchInterval: ({ state: { data } }) => (data !== undefined && isOpen(data.state) ? openEveryMs : false),
  })
}

export function useTimeline(id: string) {
  return useQuery({
    queryKey: ['timeline', id],
    queryFn: ({ signal }) => get<Timeline>(`/messages/${encodeURIComponent(id)}/timeline`, signal),
  })
}

export function useCancelMessage(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => ask('DELETE', `/messages/${encodeURIComponent(id)}`),
    onSettled: () => refresh(client, [['messages'], ['message-list'], ['timeline'], ['thread']], new Set([id])),
  })
}

/** True if any message has reached the network. */
export function useAnySent() {
  return useQuery({
    queryKey: ['messages', 'any-sent'],
    queryFn: async ({ signal }) => {
      const found = await Promise.all(
        ['Delivered', 'Sent'].map((state) =>
          get<readonly MessageStateAnswer[]>(`/messages?limit=1&cursor=start&state=${state}`, signal),
        ),
      )
      return found.some(({ length }) => length > 0)
    },
  })
}

/** True if any message was received. */
export function useAnyReceived(isAsked: boolean) {
  return useQuery({
    queryKey: ['inbox', 'any'],
    queryFn: async ({ signal }) => (await get<readonly InboxItem[]>('/inbox?limit=1&cursor=start', signal)).length > 0,
    enabled: isAsked,
  })
}

function isOpen(state: MessageStateAnswer['state']): boolean {
  return state === 'Pending' || state === 'Processed' || state === 'Cancelling'
}

const openEveryMs = 10_000
