import type { PushContent } from '@smsgw/contract/live/push-event'
import { useContext, useEffect } from 'react'
import { useLocation } from 'wouter'
import { LiveContext } from '../api/live/live-updates.ts'
import { useSignedIn } from '../session-context.ts'
import { notificationState, registerWorker, renew } from './browser-push.ts'
import { useNotificationChoice } from './notification-choice.ts'
import { watchEvents } from './tab-notifications.ts'

/**
 * Renews the subscription that the user has turned on. If no push service can be reached, this tab shows the
 * notifications.
 */
export default function Notifier() {
  const { username } = useSignedIn()
  const choice = useNotificationChoice(username)
  const feed = useContext(LiveContext)
  const [, goTo] = useLocation()

  useEffect(() => {
    // Ignores a failure, because the next start tries again.
    renew(username).catch(() => undefined)
  }, [username])

  useEffect(() => {
    const onMessage = ({ data }: MessageEvent<{ readonly open?: unknown } | null>) => {
      if (typeof data?.open === 'string' && data.open.startsWith('/')) goTo(data.open)
    }
    navigator.serviceWorker?.addEventListener('message', onMessage)
    return () => navigator.serviceWorker?.removeEventListener('message', onMessage)
  }, [goTo])

  useEffect(() => {
    if (feed === undefined || choice === undefined || choice.subscriptionId !== undefined) return
    return watchEvents(feed, choice.events, show)
  }, [feed, choice])
  return null
}

async function show(content: PushContent): Promise<void> {
  if (notificationState() === 'allowed') (await registerWorker()).active?.postMessage(content)
}
