import { Link, useLocation } from 'wouter'
import { Icon } from '../ui/icon.tsx'
import { t } from '../words/text.ts'
import { AccountMenu } from './account-menu.tsx'
import { ApprovalsBadge } from './approvals-badge.tsx'
import { LineState } from './line-state/line-state.tsx'
import { usePhoneSwitch } from './phone-context.ts'
import { isAt, placeName, places } from './places.ts'
import { UnreadBadge } from './unread-badge.tsx'
import { Wordmark } from './wordmark.tsx'
import './rail.css'

/** The menu on a wide screen. */
export function Rail({ onHelp }: { readonly onHelp: () => void }) {
  const [location] = useLocation()
  const phone = usePhoneSwitch()
  return (
    <nav className="rail" aria-label={t('menu.main')}>
      <Link href="/" className="rail-home" aria-label={t('menu.home')}>
        <Wordmark />
      </Link>
      <div className="rail-links">
        {places.map(({ path, icon }) => (
          <Link key={path} href={path} className="rail-link" aria-current={isAt(location, path) ? 'page' : undefined}>
            <Icon name={icon} />
            <span className="rail-link-name">{placeName(path)}</span>
            {path === '/conversations' && <UnreadBadge />}
            {path === '/approvals' && <ApprovalsBadge />}
          </Link>
        ))}
      </div>
      <div className="rail-foot">
        {phone.exists && (
          <button type="button" className="rail-link" aria-pressed={phone.isOpen} onClick={phone.toggle}>
            <Icon name="phone" />
            <span className="rail-link-name">{t('phone.title')}</span>
            <span className="rail-switch" aria-hidden="true" />
          </button>
        )}
        <LineState />
        <AccountMenu onHelp={onHelp} />
      </div>
    </nav>
  )
}
