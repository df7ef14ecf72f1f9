import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { ApiFailure } from '../api/request/ask.ts'
import { problemText } from '../api/request/problem-texts.ts'
import { rich, t } from '../words/text.ts'
import { Icon } from './icon.tsx'
import './note.css'

/**
 * An error with its advice. If the gateway failed, also shows the id of the request, which the user can give to
 * support.
 */
export function ProblemNote({ error, retry }: { readonly error: Error | null; readonly retry?: () => void }) {
  if (error === null) return null
  const problem = error instanceof ApiFailure ? error.problem : undefined
  const fields = problem?.errors ?? []
  return (
    <div className="note is-bad" role="alert">
      <Icon name="warning" />
      <div>
        {/* Leaves out the message of the API, because it repeats the first of the fields. */}
        {fields.length === 0 && <p dir="auto">{error.message}</p>}
        {fields.length === 0 && error instanceof ApiFailure && error.detail !== undefined && (
          <p className="small" lang="en">
            <bdi dir="ltr">{error.detail}</bdi>
          </p>
        )}
        {fields.map((field) => (
          <p key={field.path + field.message} dir="auto">
            {problemText(field)}
          </p>
        ))}
        {/* The user can solve the problem of a refused request without support. */}
        {problem?.requestId !== undefined && (problem.status ?? 500) >= 500 && (
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

export function NoteBox({ tone, children }: { readonly tone: 'bad' | 'warn' | 'quiet'; readonly children: ReactNode }) {
  return (
    <div className={`note is-${tone}`}>
      <Icon name={tone === 'quiet' ? 'info' : 'warning'} />
      <div>{children}</div>
    </div>
  )
}
