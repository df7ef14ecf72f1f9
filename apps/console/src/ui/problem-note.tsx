import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiFailure } from '../api/ask.ts'
import { rich, t } from '../words/text.ts'
import { Icon } from './icon.tsx'
import './note.css'

/** What went wrong, with what to do about it; the request's id for whoever is asked for help. */
export function ProblemNote({ error, retry }: { readonly error: Error | null; readonly retry?: () => void }) {
  if (error === null) return null
  const problem = error instanceof ApiFailure ? error.problem : undefined
  return (
    <div className="note is-bad" role="alert">
      <Icon name="warning" />
      <div>
        <p>{error.message}</p>
        {problem?.errors?.map(({ path, message }) => (
          <p key={path + message}>
            <code>{path}</code> {message}
          </p>
        ))}
        {problem?.requestId !== undefined && (
          <p className="small">{rich('problem.request', { id: problem.requestId })}</p>
        )}
      </div>
      {retry !== undefined && (
        <Button size="xs" variant="default" onClick={retry}>
          {t('common.tryAgain')}
        </Button>
      )}
    </div>
  )
}

export function Note({ tone, children }: { readonly tone: 'bad' | 'warn' | 'quiet'; readonly children: ReactNode }) {
  return (
    <div className={`note is-${tone}`}>
      <Icon name={tone === 'quiet' ? 'help' : 'warning'} />
      <div>{children}</div>
    </div>
  )
}
