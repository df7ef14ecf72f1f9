import type { SessionInfo } from '@smsgw/contract/access/session'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { forgetUnanswered } from './conversations.ts'
import { ApiFailure, abortRequests, answerOf, ask, askToSignOut, get, SessionEnded } from './request/ask.ts'
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
      if (session?.username !== userOf(client)) forgetData(client)
      if (session !== null) keepUnansweredOf(session.username)
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
    meta: { changesSession: true },
    mutationFn: async (credentials: { readonly username: string; readonly password: string }) =>
      (await ask<SessionInfo>('POST', '/session', credentials)).body,
    onSuccess: async (session) => {
      // A late answer about the former session would replace the new one.
      await client.cancelQueries({ queryKey, exact: true })
      forgetData(client)
      keepUnansweredOf(session.username)
      client.setQueryData(queryKey, session)
      tellOtherTabs({})
    },
  })
}

export function useSignOut() {
  const client = useQueryClient()
  return useMutation({
    meta: { changesSession: true },
    // Without an answer, the session still exists. Then the page must not look as if the user were signed out.
    mutationFn: async () => {
      const signedOut = userOf(client)
      try {
        await askToSignOut()
      } catch (error) {
        if (!(error instanceof Error && isSignedOut(error))) throw error
      }
      forgetSession(client, signedOut)
    },
  })
}

/** True if the request was refused because there is no session any more. */
export function isSignedOut(error: Error): boolean {
  return error instanceof ApiFailure && error.status === 401
}

/**
 * Shows the sign-in page and removes all data of the user. Called after a sign-out and after a 401 response. A sign-out
 * also removes unsaved texts, because someone else may use this computer. After any other end of the session, the user
 * finds them again.
 * @param signedOut the user who has signed out; undefined after another end of the session
 */
export function forgetSession(client: QueryClient, signedOut?: string): void {
  const wasSignedIn = userOf(client) !== undefined
  client.setQueryData(queryKey, null)
  forgetData(client, signedOut)
  if (wasSignedIn || signedOut !== undefined) tellOtherTabs({ signedOut })
}

function userOf(client: QueryClient): string | undefined {
  return client.getQueryData<SessionInfo | null>(queryKey)?.username
}

/** Removes everything that was loaded, and aborts all requests, so that no late answer of the former user is stored. */
function forgetData(client: QueryClient, signedOut?: string): void {
  const cache = client.getQueryCache()
  for (const query of cache.findAll({ predicate: (one) => one.queryKey[0] !== queryKey[0] })) {
    // A removed query that a page still shows would stay in memory for minutes after it is no longer shown.
    query.gcTime = 0
    cache.remove(query)
  }
  client.getMutationCache().clear()
  abortRequests(new SessionEnded(signedOut !== undefined))
  if (signedOut === undefined) return
  forgetUnanswered()
  removeTraces(signedOut)
}

/** The user whose requests without an answer are known. */
let unansweredUser: string | undefined

/**
 * If the same user signs in again and repeats a request without an answer, it must have the same idempotency key.
 * Another user must not find the texts of these requests in memory.
 */
function keepUnansweredOf(username: string): void {
  if (unansweredUser !== username) forgetUnanswered()
  unansweredUser = username
}

/** What a tab tells the others when the session has changed. */
interface SessionChange {
  /** The user who has signed out, if the session ended in this way. */
  readonly signedOut?: string | undefined
}

/** A channel does not receive its own messages. */
let otherTabs: BroadcastChannel | undefined
let removeTraces: (username: string) => void = () => undefined
/** On the root element of a page that the browser keeps for Back and Forward. Its content is not visible. */
const keptClass = 'is-kept'

/**
 * Follows sign-in and sign-out in other tabs. A page that returns with Back or Forward as the browser kept it stays
 * invisible until its session is known. Returns the function that stops this.
 * @param removesTraces removes what a user who has signed out has left, such as unsaved texts
 */
export function followSession(client: QueryClient, removesTraces: (username: string) => void): () => void {
  const root = document.documentElement
  const listening = new AbortController()
  const { signal } = listening
  const channel = new BroadcastChannel('smsgw-session')
  otherTabs = channel
  removeTraces = removesTraces
  const readAgain = ({ signedOut }: SessionChange = {}) => {
    forgetData(client, signedOut)
    return client.resetQueries({ queryKey, exact: true })
  }
  channel.addEventListener('message', ({ data }: MessageEvent<SessionChange>) => void readAgain(data))
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

function tellOtherTabs(change: SessionChange): void {
  otherTabs?.postMessage(change)
}
