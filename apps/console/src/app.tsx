import type { SessionInfo } from '@smsgw/contract/session'
import { useEffect, useMemo } from 'react'
import { LiveFeed } from './api/live-feed.ts'
import { LiveContext, useLiveUpdates } from './api/live-updates.ts'
import { useSession } from './api/session.ts'
import { Pages } from './pages.tsx'
import { SessionContext } from './session-context.ts'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './sign-in/sign-in.tsx'
import { ProblemNote } from './ui/problem-note.tsx'

export function App() {
  const session = useSession()
  if (session.isPending) return null
  if (session.data) return <SignedIn session={session.data} />
  if (session.data === null) return <SignIn />
  return (
    <main className="page">
      <ProblemNote error={session.error} retry={() => void session.refetch()} />
    </main>
  )
}

function SignedIn({ session }: { readonly session: SessionInfo }) {
  const feed = useMemo(() => new LiveFeed(), [])
  useEffect(() => {
    feed.open()
    return () => feed.close()
  }, [feed])
  useLiveUpdates(feed)
  return (
    <SessionContext value={session}>
      <LiveContext value={feed}>
        <Shell>
          <Pages />
        </Shell>
      </LiveContext>
    </SessionContext>
  )
}
