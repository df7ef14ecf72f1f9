import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiFailure } from './ask.ts'

/** A session that has ended shows the sign-in, wherever one was. */
export function newQueryClient(): QueryClient {
  const signOut = (error: Error) => {
    if (error instanceof ApiFailure && error.status === 401) client.setQueryData(['session'], null)
  }
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: signOut }),
    // Whoever is signing in is not signed in yet.
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => mutation.meta?.['isSignIn'] !== true && signOut(error),
    }),
    defaultOptions: {
      // A gateway in the house answers also while the browser believes that it is offline; else it says so at once, and
      // nothing is done later that nobody waits for any more.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 5_000,
        // What the gateway refused it will refuse again; what it did not answer is worth another try.
        retry: (failures, error) =>
          failures < 2 && (!(error instanceof ApiFailure) || [0, 502, 503].includes(error.status)),
      },
    },
  })
  return client
}
