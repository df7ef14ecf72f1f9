import type { SessionInfo } from '@smsgw/contract/access/session'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiFailure, answerOf, ask, get } from './request/ask.ts'
import { takeEarlySession } from './request/early-session.ts'

const queryKey = ['session']

/** The session; null without a signed-in user. */
export function useSession() {
  const client = useQueryClient()
  return useQuery({
    queryKey,
    staleTime: Number.POSITIVE_INFINITY,
    // Repeats a request without an answer, because without the session nothing can be shown.
    refetchInterval: ({ state }) => (state.status === 'error' ? 3_000 : false),
    queryFn: async () => {
      const session = await readSession()
      if (session?.username !== client.getQueryData<SessionInfo | null>(queryKey)?.username) forgetData(client)
      return session
    },
  })
}

async function readSession(): Promise<SessionInfo | null> {
  try {
    const early = await takeEarlySession()
    return early === undefined ? await get<SessionInfo>('/session') : (await answerOf<SessionInfo>(early)).body
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 401) return null
    throw error
  }
}

export function useSignIn() {
  const client = useQueryClient()
  return useMutation({
    meta: { isSignIn: true },
    mutationFn: async (credentials: { readonly username: string; readonly password: string }) =>
      (await ask<SessionInfo>('POST', '/session', credentials)).body,
    onSuccess: (session) => {
      forgetData(client)
      client.setQueryData(queryKey, session)
      otherTabs?.postMessage('changed')
    },
  })
}

export function useSignOut() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => ask('DELETE', '/session'),
    // If the request fails, the session still exists. Then the page must not look as if the user were signed out.
    onSuccess: () => forgetSession(client),
  })
}

/** Shows the sign-in page and removes all data of the user. Called after a sign-out and after a 401 response. */
export function forgetSession(client: QueryClient): void {
  const wasSignedIn = client.getQueryData(queryKey) != null
  client.setQueryData(queryKey, null)
  forgetData(client)
  if (wasSignedIn) otherTabs?.postMessage('changed')
}

/** Removes everything that was loaded, and the requests in the background with their contents. */
function forgetData(client: QueryClient): void {
  const cache = client.getQueryCache()
  for (const query of cache.findAll({ predicate: (one) => one.queryKey[0] !== queryKey[0] })) {
    // A removed query that a page still shows would stay in memory for minutes after it is no longer shown.
    query.gcTime = 0
    cache.remove(query)
  }
  client.getMutationCache().clear()
}

/** Tells other tabs that the session has changed. A channel does not receive its own messages. */
let otherTabs: BroadcastChannel | undefined
/** On the root element of a page that the browser keeps for Back and Forward. Its content is not visible. */
const keptClass = 'is-kept'

/**
 * Follows sign-in and sign-out in other tabs. A page that returns with Back or Forward as the browser kept it stays
 * invisible until its session is known. Returns the function that stops this.
 */
export function followSession(client: QueryClient): () => void {
  const root = document.documentElement
  const listening = new AbortController()
  const { signal } = listening
  const channel = new BroadcastChannel('smsgw-session')
  otherTabs = channel
  const readAgain = () => {
    forgetData(client)
    return client.resetQueries({ queryKey, exact: true })
  }
  channel.addEventListener('message', () => void readAgain())
  addEventListener('pagehide', ({ persisted }) => root.classList.toggle(keptClass, persisted), { signal })
  addEventListener(
    'pageshow',
    async ({ persisted }) => {
      if (!persisted) return
      await client.refetchQueries({ queryKey, exact: true })
      if (client.getQueryState(queryKey)?.status !== 'success') void readAgain()
      root.classList.remove(keptClass)
    },
    { signal },
  )
  return () => {
    channel.close()
    listening.abort()
  }
}
