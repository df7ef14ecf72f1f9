import type { SessionInfo } from '@smsgw/contract/session'
import { createContext, useContext } from 'react'

export const SessionContext = createContext<SessionInfo | undefined>(undefined)

/** Who is signed in: below the sign-in there always is somebody. */
export function useSignedIn(): SessionInfo {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('nobody is signed in here')
  return session
}
