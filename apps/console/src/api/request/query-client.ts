import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiFailure } from './ask.ts'

/** An expired session shows the sign-in on every page. */
export function newQueryClient(): QueryClient {
  const signOut = (error: Error) => {
    if (error instanceof ApiFailure && error.status === 401) client.setQueryData(['session'], null)
  }
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: signOut }),
    // A failed sign-in is not an expired session.
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => mutation.meta?.['isSignIn'] !== true && signOut(error),
    }),
    defaultOptions: {
      // A gateway in the local network answers even if the browser reports no internet. Requests fail at once instead of
      // waiting for a connection.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 5_000,
        // A refused request would be refused again. Only requests without an answer are retried.
        retry: (failures, error) =>
          failures < 2 && (!(error instanceof ApiFailure) || [0, 502, 503].includes(error.status)),
      },
    },
  })
  return client
}
