import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { t } from '../words/text.ts'
import { EmptyState } from './empty-state.tsx'
import { Page } from './page.tsx'

interface Props {
  readonly children: ReactNode
  /** The path of the page. When it changes, the page is rendered again. */
  readonly path: string
}

/** Shows an error in a page, and keeps the menu and other pages usable. */
export class PageBoundary extends Component<Props, { readonly error?: Error | undefined }> {
  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override state: { readonly error?: Error | undefined } = {}

  override componentDidUpdate({ path }: Props): void {
    if (path !== this.props.path && this.state.error !== undefined) this.setState({ error: undefined })
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <Page title={t('broken.title')}>
        <EmptyState
          icon="warning"
          title={t('broken.heading')}
          action={<Button onClick={() => location.reload()}>{t('broken.reload')}</Button>}
        >
          {t('broken.help', { details: error.message })}
        </EmptyState>
      </Page>
    )
  }
}
