import { ActionIcon } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type MouseEvent, type ReactNode, useEffect, useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useLiveState } from '../api/live/live-updates.ts'
import { useUnreadConversations } from '../api/shared-inbox.ts'
import { newConversationPath } from '../conversations/conversation-path.ts'
import { useNotificationChoice } from '../notifications/notification-choice.ts'
import { patientPage } from '../patient-page.tsx'
import { useSignedIn } from '../session-context.ts'
import { setUnreadInTitle } from '../ui/document-title.ts'
import { Icon } from '../ui/icon.tsx'
import { useIsLate } from '../ui/use-is-late.ts'
import { VirtualPhonePanel } from '../virtual-phone/virtual-phone.tsx'
import { t } from '../words/text.ts'
import { useAccountActions } from './account-actions.ts'
import { AccountMenu } from './account-menu.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { CommandPalette } from './keyboard/command-palette.tsx'
import { KeyHelp } from './keyboard/key-help.tsx'
import type { KeyActions } from './keyboard/key-sequence.ts'
import { useKeys } from './keyboard/keys.ts'
import { LineState } from './line-state/line-state.tsx'
import { PhoneContext, usePhoneSwitch } from './phone-context.ts'
import { places } from './places.ts'
import { Rail } from './rail.tsx'
import { useScrollPlaces } from './scroll-places.ts'
import { Wordmark } from './wordmark.tsx'
import './top-bar.css'
import './line-state/connection-banner.css'
import './shell.css'

const Notifier = patientPage(() => import('../notifications/notifier.tsx'), null)

const phoneKey = 'smsgw-phone'

/** The frame of every page: the menu, and the virtual phone if there is one. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const { hasVirtualPhone, username } = useSignedIn()
  const isNotified = useNotificationChoice(username) !== undefined
  const [isHelpOpen, help] = useDisclosure(false)
  const [isPaletteOpen, palette] = useDisclosure(false)
  const [, goTo] = useLocation()
  const [isPhoneWanted, setPhoneWanted] = useState(
    () => localStorage.getItem(phoneKey) ?? (innerWidth > 1240 ? 'open' : 'closed'),
  )
  const hasPhone = hasVirtualPhone && isPhoneWanted === 'open'
  const phone = useMemo(
    () => ({
      exists: hasVirtualPhone,
      isOpen: hasPhone,
      toggle: () =>
        setPhoneWanted((before) => {
          const after = before === 'open' ? 'closed' : 'open'
          localStorage.setItem(phoneKey, after)
          return after
        }),
    }),
    [hasVirtualPhone, hasPhone],
  )
  const keys = useMemo<KeyActions>(
    () => ({
      '?': help.toggle,
      n: () => goTo(newConversationPath),
      'g m': () => goTo('/messages'),
      ...(hasVirtualPhone && { v: phone.toggle }),
      ...Object.fromEntries(places.map(({ key, path }) => [`g ${key}`, () => goTo(path)])),
    }),
    [help.toggle, goTo, hasVirtualPhone, phone.toggle],
  )
  useKeys(keys)
  const accountActions = useAccountActions(help.open)
  const actions = useMemo(
    () => [
      ...(hasVirtualPhone ? [{ name: t('phone.title'), icon: 'phone', run: phone.toggle } as const] : []),
      ...accountActions.flat(),
    ],
    [hasVirtualPhone, phone.toggle, accountActions],
  )
  useScrollPlaces()
  const unread = useUnreadConversations()
  useEffect(() => setUnreadInTitle(unread), [unread])
  useEffect(() => () => setUnreadInTitle(0), [])
  return (
    <PhoneContext value={phone}>
      <div className={hasPhone ? 'shell has-phone' : 'shell'}>
        {/* biome-ignore lint/a11y/useValidAnchor: screen readers list it with the links, and it leads to an anchor */}
        <a className="shell-skip" href="#content" onClick={skipToContent}>
          {t('menu.skip')}
        </a>
        <Rail onHelp={help.open} />
        <TopBar onHelp={help.open} />
        <main className="shell-content" id="content" tabIndex={-1}>
          <ConnectionBanner />
          {children}
        </main>
        {hasPhone && <VirtualPhonePanel onClose={phone.toggle} />}
        <BottomBar />
      </div>
      <CommandPalette isOpen={isPaletteOpen} actions={actions} onToggle={palette.toggle} onClose={palette.close} />
      {isNotified && <Notifier />}
      <KeyHelp isOpen={isHelpOpen} onClose={help.close} hasPhone={hasVirtualPhone} />
    </PhoneContext>
  )
}

/** Does not add the fragment to the address, because the new entry of the history would have no way back. */
function skipToContent(event: MouseEvent): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}

/** Interruptions that are shorter than this, for example while the gateway restarts, are shown only beside the menu. */
const shortMs = 4_000

/** Shows above every page that the gateway cannot be reached. The page may then be out of date. */
function ConnectionBanner() {
  const live = useLiveState()
  const isLate = useIsLate(live !== 'live', shortMs)
  return (
    <div className="connection-banner-place" role="alert">
      {isLate && (
        <p className="connection-banner">
          <Icon name="warning" />
          {t('line.outOfDate')}
        </p>
      )}
    </div>
  )
}

/** Replaces the head and the foot of the menu on a narrow screen. */
function TopBar({ onHelp }: { readonly onHelp: () => void }) {
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
