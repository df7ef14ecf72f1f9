import { Menu, useMantineColorScheme } from '@mantine/core'
import { useLocation } from 'wouter'
import { useSignOut } from '../api/session.ts'
import { useSignedIn } from '../session-context.ts'
import { Icon } from '../ui/icon.tsx'
import './account-menu.css'

/** Who is signed in, and what concerns them alone. */
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
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          smsgw {version}, {mode === 'local' ? 'on this box' : 'relay'}
        </Menu.Label>
        <Menu.Item leftSection={<Icon name="access" />} onClick={() => goTo('/access')}>
          Change the password
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="help" />} onClick={onHelp}>
          Keys
        </Menu.Item>
        <Menu.Divider />
        {(['light', 'dark', 'auto'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon name={scheme === 'auto' ? 'settings' : scheme} />}
            rightSection={colorScheme === scheme ? <Icon name="tick" size={16} /> : undefined}
            onClick={() => setColorScheme(scheme)}
          >
            {{ light: 'Light', dark: 'Dark', auto: 'As the system' }[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="leave" />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
