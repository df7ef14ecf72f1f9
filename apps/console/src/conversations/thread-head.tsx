import { ActionIcon } from '@mantine/core'
import { Link } from 'wouter'
import { Icon } from '../ui/icon.tsx'

/** Whom it is with, and the way back to all of them on a narrow screen. */
export function ThreadHead({ title }: { readonly title: string }) {
  return (
    <header className="thread-head">
      <ActionIcon
        component={Link}
        href="/conversations"
        variant="subtle"
        className="thread-back"
        aria-label="All conversations"
      >
        <Icon name="back" />
      </ActionIcon>
      <h1>{title}</h1>
    </header>
  )
}
