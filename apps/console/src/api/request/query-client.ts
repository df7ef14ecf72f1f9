import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiFailure } from './ask.ts'

/** Creates the client for queries. After a session has expired, every page shows the sign-in. */
export function newQueryClient(): QueryClient {
  const signOut = (error: Error) => {
    if (error instanceof ApiFailure && error.status === 401) client.setQueryData(['session'], null)
  }
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: signOut }),
    // Ignores a failed sign-in, because it does not mean that the session has expired.
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => mutation.meta?.['isSignIn'] !== true && signOut(error),
    }),
    defaultOptions: {
      // Sends requests even if the browser reports no internet, because a gateway in the local network may still
      // answer. Without a connection, requests fail at once.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 5_000,
        // Retries only requests without an answer, because a refused request would be refused again.
        retry: (failures, error) =>
          failures < 2 && (!(error instanceof ApiFailure) || [0, 502, 503].includes(error.status)),
      },
    },
  })
  return client
}
