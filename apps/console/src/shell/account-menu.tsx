import { Menu } from '@mantine/core'
import { Fragment } from 'react'
import { useSignedIn } from '../session-context.ts'
import { Icon } from '../ui/icon.tsx'
import { t } from '../words/text.ts'
import { useAccountActions } from './account-actions.ts'
import './account-menu.css'

/** The signed-in user, with personal settings and sign-out. */
export function AccountMenu({ onHelp, isShort = false }: { readonly onHelp: () => void; readonly isShort?: boolean }) {
  const { username, version, mode } = useSignedIn()
  const groups = useAccountActions(onHelp)
  return (
    <Menu position={isShort ? 'bottom-end' : 'top-start'} width={220}>
      <Menu.Target>
        <button type="button" className={isShort ? 'account-menu is-short' : 'account-menu'}>
          <span className="account-menu-initial" aria-hidden="true">
            {username.slice(0, 1).toUpperCase()}
          </span>
          <span className={isShort ? 'unseen' : undefined}>{username}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('account.signedInAs', { username })}</Menu.Label>
        <Menu.Label>
          {mode === 'local' ? t('account.gateway', { version }) : t('account.relay', { version })}
        </Menu.Label>
        {groups.map((actions, at) => (
          <Fragment key={actions[0]?.name}>
            {at > 0 && <Menu.Divider />}
            {actions.map(({ name, icon, lang, isChosen, run }) => (
              <Menu.Item
                key={name}
                lang={lang}
                // The languages have no icon, because each would have the same.
                leftSection={lang === undefined ? <Icon name={icon} /> : undefined}
                rightSection={isChosen ? <Icon name="tick" size={16} /> : undefined}
                onClick={run}
              >
                <bdi>{name}</bdi>
              </Menu.Item>
            ))}
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
