import { ActionIcon, Button, Menu } from '@mantine/core'
import type { Label } from '@smsgw/contract/inbox/shared-inbox'
import { type ReactNode, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { useEndOfSilence } from '../api/request/use-end-of-silence.ts'
import { useChangeConversation, useConversationDetails, useLabels } from '../api/shared-inbox.ts'
import { useKeys } from '../shell/keyboard/keys.ts'
import { usePageActions } from '../shell/keyboard/page-actions.ts'
import { Badge } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { shortCount } from '../ui/values/relative-words.ts'
import { t } from '../words/text.ts'
import { listPath } from './conversation-path.ts'
import { NotesDialog } from './notes-dialog.tsx'

/** The actions for a whole conversation, with its labels, assignee and other decisions. */
export function ConversationMenu({ number }: { readonly number: string }) {
  const { data: details } = useConversationDetails(number)
  const { data: labels = [] } = useLabels()
  const change = useChangeConversation(number)
  useEndOfSilence(change)
  const [isOpen, setOpen] = useState(false)
  const isKnown = details !== undefined
  const isArchived = details?.archivedAt !== undefined
  const isBlocked = details?.blockedAt !== undefined
  const notes = details?.notes.length ?? 0
  const { mutate, reset } = change
  const [, goTo] = useLocation()
  const keys = useMemo(
    () => ({
      l: () => {
        reset()
        setOpen(true)
      },
      // Leaves the conversation. If it stayed open, its messages would be marked as read at once.
      u: () => mutate({ unread: true }, { onSuccess: () => goTo(listPath(location.search)) }),
      e: () => mutate({ archived: !isArchived }),
    }),
    [mutate, reset, isArchived, goTo],
  )
  useKeys(keys)
  const actions = useMemo(
    () =>
      [
        { name: t('inbox.notesAndLabels'), icon: 'note', run: keys.l },
        { name: t('inbox.markUnread'), icon: 'conversations', run: keys.u },
        // Without the details, it is unknown which of two names applies.
        ...(isKnown
          ? ([
              { name: isArchived ? t('inbox.unarchive') : t('inbox.archive'), icon: 'conversations', run: keys.e },
              {
                name: isBlocked ? t('inbox.unblock') : t('inbox.block'),
                icon: 'cross',
                run: () => mutate({ blocked: !isBlocked }),
              },
            ] as const)
          : []),
      ] as const,
    [keys, mutate, isKnown, isArchived, isBlocked],
  )
  usePageActions(actions)
  return (
    <>
      {isBlocked && <Badge tone="bad">{t('inbox.blocked')}</Badge>}
      {isArchived && <Badge tone="quiet">{t('inbox.archived')}</Badge>}
      {details?.assignee !== undefined && (
        <span className="thread-assignee" title={t('inbox.assignee')}>
          <Icon name="person" size={14} />
          <span className="unseen">{t('inbox.assignee')} </span>
          <bdi>{details.assignee}</bdi>
        </span>
      )}
      <Labels key={number} labels={labels.filter(({ id }) => details?.labels.includes(id))} />
      {notes > 0 && (
        <Button
          size="compact-xs"
          variant="default"
          className="thread-notes"
          leftSection={<Icon name="note" size={14} />}
          title={t('common.withKey', { name: t('inbox.noteCount', { count: notes }), key: 'l' })}
          onClick={keys.l}
        >
          <span aria-hidden="true">{shortCount(notes)}</span>
          <span className="unseen">{t('inbox.noteCount', { count: notes })}</span>
        </Button>
      )}
      <ProblemNote error={change.error} />
      <Menu position="bottom-end" offset={22}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" className="thread-menu" aria-label={t('inbox.actions')}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown className="thread-actions">
          <Action shortcut="l" onClick={keys.l}>
            {t('inbox.notesAndLabels')}
          </Action>
          <Action shortcut="u" onClick={keys.u}>
            {t('inbox.markUnread')}
          </Action>
          <Action shortcut="e" onClick={keys.e}>
            {isArchived ? t('inbox.unarchive') : t('inbox.archive')}
          </Action>
          <Menu.Item {...(!isBlocked && { color: 'red' })} onClick={() => mutate({ blocked: !isBlocked })}>
            {isBlocked ? t('inbox.unblock') : t('inbox.block')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isOpen && <NotesDialog number={number} change={change} onClose={() => setOpen(false)} />}
    </>
  )
}

const mostLabels = 6

/** The first labels, and a button that shows all of them. */
function Labels({ labels }: { readonly labels: readonly Label[] }) {
  const [areAllShown, setAllShown] = useState(false)
  const hidden = areAllShown ? 0 : labels.length - mostLabels
  return (
    <>
      {labels.slice(0, hidden > 0 ? mostLabels : undefined).map(({ id, name }) => (
        <bdi key={id} className="thread-label">
          {name}
        </bdi>
      ))}
      {labels.length > mostLabels && (
        <Button
          size="compact-xs"
          variant="subtle"
          className="thread-more"
          aria-expanded={areAllShown}
          onClick={() => setAllShown(!areAllShown)}
        >
          {areAllShown ? t('inbox.fewerLabels') : t('inbox.moreLabels', { count: hidden })}
        </Button>
      )}
    </>
  )
}

function Action({
  shortcut,
  onClick,
  children,
}: {
  readonly shortcut: string
  readonly onClick: () => void
  readonly children: ReactNode
}) {
  return (
    <Menu.Item
      onClick={onClick}
      rightSection={
        <span aria-hidden="true">
          <kbd>{shortcut}</kbd>
        </span>
      }
    >
      {children}
    </Menu.Item>
  )
}
