import type { SessionInfo } from '@smsgw/contract/access/session'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiFailure, answerOf, ask, get } from './request/ask.ts'
import { takeEarlySession } from './request/early-session.ts'

/** The session; null without a signed-in user. */
export function useSession() {
  return useQuery({
    queryKey: ['session'],
    staleTime: Number.POSITIVE_INFINITY,
    // Repeats a request without an answer, because without the session nothing can be shown.
    refetchInterval: ({ state }) => (state.status === 'error' ? 3_000 : false),
    queryFn: async () => {
      try {
        const early = await takeEarlySession()
        return early === undefined ? await get<SessionInfo>('/session') : (await answerOf<SessionInfo>(early)).body
      } catch (error) {
        if (error instanceof ApiFailure && error.status === 401) return null
        throw error
      }
    },
  })
}

export function useSignIn() {
  const client = useQueryClient()
  return useMutation({
    meta: { isSignIn: true },
    mutationFn: async (credentials: { readonly username: string; readonly password: string }) =>
      (await ask<SessionInfo>('POST', '/session', credentials)).body,
    onSuccess: (session) => {
      forgetOthers(client)
      client.setQueryData(['session'], session)
    },
  })
}

export function useSignOut() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => ask('DELETE', '/session'),
    // If the request fails, the session still exists. Then the page must not look as if the user were signed out.
    onSuccess: () => {
      client.setQueryData(['session'], null)
      forgetOthers(client)
    },
  })
}

/** Removes the data of the previous user, even if the session of that user expired. */
function forgetOthers(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
}
