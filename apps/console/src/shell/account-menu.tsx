import { Menu, useMantineColorScheme } from '@mantine/core'
import { useLocation } from 'wouter'
import { isSignedOut, useSignOut } from '../api/session.ts'
import { useSignedIn } from '../session-context.ts'
import { Icon } from '../ui/icon.tsx'
import { showToast } from '../ui/toasts.tsx'
import { languages, storeLanguage } from '../words/language.ts'
import { locale, t } from '../words/text.ts'
import './account-menu.css'

/** The signed-in user, with personal settings and sign-out. */
export function AccountMenu({ onHelp, isShort = false }: { readonly onHelp: () => void; readonly isShort?: boolean }) {
  const { username, version, mode } = useSignedIn()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const signOut = useSignOut()
  const [, goTo] = useLocation()
  return (
    <Menu position={isShort ? 'bottom-end' : 'top-start'} width={220}>
      <Menu.Target>
        <button type="button" className={isShort ? 'account-menu is-short' : 'account-menu'}>
          <span className="account-menu-initial" aria-hidden="true">
            {username.slice(0, 1).toUpperCase()}
          </span>
          <span className={isShort ? 'unseen' : undefined}>{username}</span>
          {!isShort && (
            <span className="account-menu-note" aria-hidden="true">
              {t('account.signedIn')}
            </span>
          )}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('account.signedInAs', { username })}</Menu.Label>
        <Menu.Label>
          {mode === 'local' ? t('account.gateway', { version }) : t('account.relay', { version })}
        </Menu.Label>
        <Menu.Item leftSection={<Icon name="access" />} onClick={() => goTo('/access')}>
          {t('password.change')}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="keys" />} onClick={onHelp}>
          {t('keyboard.title')}
        </Menu.Item>
        <Menu.Divider />
        {(['light', 'dark', 'auto'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon name={scheme === 'auto' ? 'systemScheme' : scheme} />}
            rightSection={colorScheme === scheme ? <Icon name="tick" size={16} /> : undefined}
            onClick={() => setColorScheme(scheme)}
          >
            {t(`theme.${scheme}`)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {languages.map(({ code, name }) => (
          <Menu.Item
            key={code}
            lang={code}
            rightSection={locale().language === code ? <Icon name="tick" size={16} /> : undefined}
            onClick={() => {
              storeLanguage(code)
              location.reload()
            }}
          >
            <bdi>{name}</bdi>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<Icon name="leave" />}
          onClick={() => signOut.mutate(undefined, { onError: showFailure })}
        >
          {t('account.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** A session that has expired is a sign-out as well, because the page then shows the sign-in. */
function showFailure(error: Error): void {
  if (!isSignedOut(error)) void showToast(t('account.signOutFailed', { reason: error.message }))
}
