import { ActionIcon } from '@mantine/core'
import { Link } from 'wouter'
import { Icon } from '../ui/icon.tsx'
import { t } from '../words/text.ts'
import { AccountMenu } from './account-menu.tsx'
import { LineState } from './line-state/line-state.tsx'
import { usePhoneSwitch } from './phone-context.ts'
import { Wordmark } from './wordmark.tsx'
import './top-bar.css'

/** Replaces the head and the foot of the menu on a narrow screen. */
export function TopBar({ onHelp }: { readonly onHelp: () => void }) {
  const phone = usePhoneSwitch()
  return (
    <nav className="top-bar" aria-label={t('menu.top')}>
      <Link href="/" className="rail-home" aria-label={t('menu.home')}>
        <Wordmark />
      </Link>
      <div className="top-bar-end">
        <LineState isShort />
        {phone.exists && (
          <ActionIcon
            variant={phone.isOpen ? 'light' : 'subtle'}
            size="lg"
            aria-label={t('phone.title')}
            aria-pressed={phone.isOpen}
            onClick={phone.toggle}
          >
            <Icon name="phone" />
          </ActionIcon>
        )}
        <AccountMenu onHelp={onHelp} isShort />
      </div>
    </nav>
  )
}
