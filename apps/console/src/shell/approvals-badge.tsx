import { useApprovals } from '../api/approvals.ts'
import { shortCount } from '../ui/values/relative-words.ts'
import { t } from '../words/text.ts'
import './unread-badge.css'

/** Shows in the menu how many messages wait for approval. */
export function ApprovalsBadge() {
  const { total: count = 0, isTotalExact = true } = useApprovals().data?.pages[0] ?? {}
  if (count === 0) return null
  return (
    <span className="unread-badge">
      <span aria-hidden="true">{shortCount(count)}</span>
      <span className="unseen">{t(isTotalExact ? 'approvals.waiting' : 'approvals.waitingAtLeast', { count })}</span>
    </span>
  )
}
