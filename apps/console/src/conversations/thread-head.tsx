import { ActionIcon } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link, useSearch } from 'wouter'
import { useDevices } from '../api/devices.ts'
import { Badge } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { t } from '../words/text.ts'
import { listPath } from './conversation-path.ts'

/** The number, with a link back to the list on a narrow screen. */
export function ThreadHead({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  const { data: devices = [] } = useDevices()
  // Shows the hint only without a real modem, because virtual modems are not used if there is a real modem.
  const isEmulated = devices.length > 0 && devices.every((device) => device.isEmulated)
  return (
    <header className="thread-head">
      <ActionIcon
        component={Link}
        href={listPath(useSearch())}
        variant="subtle"
        className="thread-back"
        aria-label={t('conversations.all')}
      >
        <Icon name="back" />
      </ActionIcon>
      <h1 dir="auto">{title}</h1>
      {isEmulated && (
        <span className="thread-emulated">
          <Badge tone="quiet">{t('device.emulated')}</Badge>
        </span>
      )}
      {children}
    </header>
  )
}
