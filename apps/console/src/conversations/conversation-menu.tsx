import { ActionIcon, Menu } from '@mantine/core'
import { useState } from 'react'
import { useChangeConversation, useConversationDetails } from '../api/shared-inbox.ts'
import { Badge } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { t } from '../words/text.ts'
import { NotesDialog } from './notes-dialog.tsx'

/** The actions for a whole conversation, with its labels, assignee and other decisions. */
export function ConversationMenu({ number }: { readonly number: string }) {
  const { data: details } = useConversationDetails(number)
  const change = useChangeConversation(number)
  const [isOpen, setOpen] = useState(false)
  const isArchived = details?.archivedAt !== undefined
  const isBlocked = details?.blockedAt !== undefined
  return (
    <>
      {isBlocked && <Badge tone="bad">{t('inbox.blocked')}</Badge>}
      {isArchived && <Badge tone="quiet">{t('inbox.archived')}</Badge>}
      {details?.assignee !== undefined && (
        <Badge tone="quiet">
          <bdi>{details.assignee}</bdi>
        </Badge>
      )}
      <ProblemNote error={change.error} />
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" className="thread-menu" aria-label={t('inbox.actions')}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            onClick={() => {
              change.reset()
              setOpen(true)
            }}
          >
            {t('inbox.notesAndLabels')}
          </Menu.Item>
          <Menu.Item onClick={() => change.mutate({ unread: true })}>{t('inbox.markUnread')}</Menu.Item>
          <Menu.Item onClick={() => change.mutate({ archived: !isArchived })}>
            {isArchived ? t('inbox.unarchive') : t('inbox.archive')}
          </Menu.Item>
          <Menu.Item {...(!isBlocked && { color: 'red' })} onClick={() => change.mutate({ blocked: !isBlocked })}>
            {isBlocked ? t('inbox.unblock') : t('inbox.block')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isOpen && <NotesDialog number={number} change={change} onClose={() => setOpen(false)} />}
    </>
  )
}
