import type { MessageStateAnswer } from '@smsgw/contract/messages/message'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { refresh } from './live/newest-first.ts'
import { ask, queryString } from './request/ask.ts'

/** The messages that wait for approval, in pages, the oldest first. */
export function useApprovals() {
  return useInfiniteQuery({
    queryKey: ['approvals'],
    // Without a cursor, the first page has the total.
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      ask<readonly MessageStateAnswer[]>(
        'GET',
        `/messages${queryString({ ...waiting, cursor: pageParam })}`,
        undefined,
        signal,
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Polls, because the relay reports an expired approval only after the next run of its job.
    refetchInterval: 60_000,
  })
}

const waiting = {
  approval: 'pending',
  includeContent: true,
  includeAttachmentData: false,
  sort: 'created_at',
  limit: 100,
}

export function useDecision(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (decision: 'approve' | 'refuse') => ask('POST', `/messages/${encodeURIComponent(id)}/${decision}`),
    onSettled: () =>
      refresh(client, [['approvals'], ['messages'], ['message-list'], ['timeline'], ['thread']], new Set([id])),
  })
}
