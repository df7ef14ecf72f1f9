import type { ConversationChange, ConversationDetails, Label, Note } from '@smsgw/contract/inbox/shared-inbox'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { refresh } from './live/newest-first.ts'
import { ask, get } from './request/ask.ts'

const pathOf = (number: string) => `/conversations/${encodeURIComponent(number)}`

/** Labels, notes, assignee, archive and block of a conversation. */
export function useConversationDetails(number: string) {
  return useQuery({
    queryKey: ['conversation-details', number],
    queryFn: ({ signal }) => get<ConversationDetails>(`${pathOf(number)}/details`, signal),
  })
}

export function useChangeConversation(number: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (change: Partial<ConversationChange>) =>
      (await ask<ConversationDetails>('PATCH', pathOf(number), change)).body,
    onSuccess: (details) => {
      client.setQueryData(['conversation-details', number], details)
      void refresh(client, [['conversations'], ['thread', number], ['unread'], ['assignees']])
    },
  })
}

export function useAddNote(number: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (text: string) => (await ask<Note>('POST', `${pathOf(number)}/notes`, { text })).body,
    onSettled: () => refresh(client, [['conversation-details', number]]),
  })
}

export function useDeleteNote(number: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => ask('DELETE', `${pathOf(number)}/notes/${encodeURIComponent(id)}`),
    onSettled: () => refresh(client, [['conversation-details', number]]),
  })
}

export function useLabels() {
  return useQuery({ queryKey: ['labels'], queryFn: ({ signal }) => get<readonly Label[]>('/labels', signal) })
}

export function useCreateLabel() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (name: string) => (await ask<Label>('POST', '/labels', { name })).body,
    onSettled: () => refresh(client, [['labels']]),
  })
}

export function useAssignees() {
  return useQuery({ queryKey: ['assignees'], queryFn: ({ signal }) => get<readonly string[]>('/assignees', signal) })
}

/** The number of conversations with unread messages. */
export function useUnreadConversations(): number {
  const { data } = useQuery({
    queryKey: ['unread'],
    queryFn: ({ signal }) => get<{ readonly conversations: number }>('/unread', signal),
  })
  return data?.conversations ?? 0
}
