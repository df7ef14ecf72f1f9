import type { SessionInfo } from '@smsgw/contract/access/session'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { LiveFeed } from './api/live/live-feed.ts'
import { LiveContext, useLiveUpdates } from './api/live/live-updates.ts'
import { forgetPagesOnLinks } from './api/live/newest-first.ts'
import { followSession, useSession } from './api/session.ts'
import { removeEarlySignIn } from './boot/early-sign-in.ts'
import { forgetDrafts, forgetDraftsOfOthers, removeDrafts } from './conversations/drafts.ts'
import { Pages } from './pages.tsx'
import { SessionContext } from './session-context.ts'
import { removeEdits, removeEditsOfOthers } from './settings/unsaved-edits.ts'
import { forgetOrigin } from './shell/back-link.tsx'
import { Shell } from './shell/shell.tsx'
import { SignIn } from './sign-in/sign-in.tsx'
import { useKeptFocus } from './ui/kept-focus.ts'
import { NoteBox, ProblemNote } from './ui/problem-note.tsx'
import { useIsLate } from './ui/use-is-late.ts'
import { t } from './words/text.ts'

export function App() {
  const session = useSession()
  useKeptFocus()
  const client = useQueryClient()
  useEffect(() => followSession(client, removeTraces), [client])
  // Keeps the early form until the sign-in page has read its text.
  const isSignedOut = session.data === null
  useEffect(() => {
    if (!session.isPending && !isSignedOut) removeEarlySignIn()
  }, [session.isPending, isSignedOut])
  if (session.isPending) return <Starting />
  if (session.data) return <SignedIn key={session.data.username} session={session.data} />
  if (isSignedOut) return <SignIn />
  return (
    <main className="page">
      <ProblemNote error={session.error} retry={() => void session.refetch()} />
    </main>
  )
}

function removeTraces(username: string): void {
  removeDrafts(username)
  removeEdits(username)
  forgetOrigin()
}

/** Shows nothing at first, because the answer usually arrives at once. */
function Starting() {
  const isLate = useIsLate(true, lateMs)
  if (!isLate) return null
  return (
    <main className="page">
      <NoteBox tone="warn">{t('problem.unreachable')}</NoteBox>
    </main>
  )
}

const lateMs = 4_000

function SignedIn({ session }: { readonly session: SessionInfo }) {
  const feed = useMemo(() => new LiveFeed(), [])
  useEffect(() => {
    feed.open()
    return () => feed.close()
  }, [feed])
  useLiveUpdates(feed)
  const client = useQueryClient()
  useEffect(() => forgetPagesOnLinks(client), [client])
  const { username } = session
  useEffect(() => {
    removeEditsOfOthers(username)
    forgetDraftsOfOthers(username)
    return forgetDrafts
  }, [username])
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
