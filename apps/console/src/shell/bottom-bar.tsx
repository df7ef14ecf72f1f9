import { Menu } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { Icon } from '../ui/icon.tsx'
import { t } from '../words/text.ts'
import { ApprovalsBadge } from './approvals-badge.tsx'
import { isAt, placeName, places } from './places.ts'
import { UnreadBadge } from './unread-badge.tsx'
import './bottom-bar.css'

const firstOnes = 4

/** The menu on a narrow screen, at the bottom, where a thumb can reach it. */
export function BottomBar() {
  const [location, goTo] = useLocation()
  const rest = places.slice(firstOnes)
  const isInRest = rest.some(({ path }) => isAt(location, path))
  return (
    <nav className="bottom-bar" aria-label={t('menu.mainShort')}>
      {places.slice(0, firstOnes).map(({ path, icon }) => (
        <Link key={path} href={path} aria-current={isAt(location, path) ? 'page' : undefined}>
          <Icon name={icon} size={20} />
          <span className="bottom-bar-name">{placeName(path)}</span>
          {path === '/conversations' && <UnreadBadge />}
        </Link>
      ))}
      <Menu position="top-end" width={180}>
        <Menu.Target>
          <button type="button" className={isInRest ? 'is-current' : undefined}>
            <Icon name="more" size={20} />
            <span className="bottom-bar-name">{t('menu.more')}</span>
            <ApprovalsBadge />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {rest.map(({ path, icon }) => (
            <Menu.Item key={path} leftSection={<Icon name={icon} />} onClick={() => goTo(path)}>
              {placeName(path)}
              {path === '/approvals' && <ApprovalsBadge />}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </nav>
  )
}
