import { useUnreadConversations } from '../api/shared-inbox.ts'
import { shortCount } from '../ui/values/relative-words.ts'
import { t } from '../words/text.ts'
import './unread-badge.css'

/** The number of unread conversations, in the menu. */
export function UnreadBadge() {
  const count = useUnreadConversations()
  if (count === 0) return null
  return (
    <span className="unread-badge">
      <span aria-hidden="true">{shortCount(count)}</span>
      <span className="unseen">{t('inbox.unreadConversations', { count })}</span>
    </span>
  )
}
