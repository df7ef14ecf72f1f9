import type { SessionInfo } from '@smsgw/contract/access/session'
import { createContext, useContext } from 'react'

export const SessionContext = createContext<SessionInfo | undefined>(undefined)

/** Returns the signed-in user. Components below the sign-in always have a user. */
export function useSignedIn(): SessionInfo {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('useSignedIn is called outside of a signed-in page')
  return session
}
