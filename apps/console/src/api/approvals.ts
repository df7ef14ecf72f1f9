import type { MessageStateAnswer } from '@smsgw/contract/message'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask, get } from './ask.ts'
import { refresh } from './newest-first.ts'

/** The messages that wait for approval, those that wait longest first. More are listed once these are decided. */
export function useApprovals() {
  return useQuery({
    queryKey: ['approvals'],
    queryFn: ({ signal }) =>
      get<readonly MessageStateAnswer[]>(
        '/messages?approval=pending&includeContent=true&includeAttachmentData=false&sort=created_at&limit=100&cursor=start',
        signal,
      ),
    // The end of the time for approval causes an event only when the relay has noticed it.
    refetchInterval: 60_000,
  })
}

export function useDecision(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (decision: 'approve' | 'refuse') => ask('POST', `/messages/${encodeURIComponent(id)}/${decision}`),
    onSettled: () =>
      refresh(client, [['approvals'], ['messages'], ['message-list'], ['timeline'], ['thread']], new Set([id])),
  })
}
