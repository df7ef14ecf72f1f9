import { Button, PasswordInput } from '@mantine/core'
import { useState } from 'react'
import { ApiFailure } from '../api/request/ask.ts'
import { useChangePassword } from '../api/tokens.ts'
import { useSignedIn } from '../session-context.ts'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { showToast } from '../ui/toasts.tsx'
import { useFieldProblems } from '../ui/use-field-problems.ts'
import { t } from '../words/text.ts'
import './change-password.css'

export function ChangePassword() {
  const { username } = useSignedIn()
  const change = useChangePassword()
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const problems = useFieldProblems(change.error, ['currentPassword', 'newPassword'])
  // A wrong current password is refused as a whole request.
  const isCurrentWrong = change.error instanceof ApiFailure && change.error.status === 403
  return (
    <Panel title={t('password.title')} about={t('password.about', { username })}>
      <form
        ref={problems.form}
        className="fields change-password"
        // Switches off the checks of the browser, because the API describes problems of the fields in the language of
        // the console.
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate({ currentPassword, newPassword }, { onSuccess: () => void showToast(t('password.changed')) })
        }}
      >
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <PasswordInput
          label={t('password.current')}
          autoComplete="current-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': t('password.showCurrent') }}
          error={isCurrentWrong ? change.error?.message : problems.of('currentPassword')}
          value={currentPassword}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <PasswordInput
          label={t('password.new')}
          description={t('password.rules')}
          autoComplete="new-password"
          required
          withAsterisk={false}
          minLength={8}
          visibilityToggleButtonProps={{ 'aria-label': t('password.showNew') }}
          error={problems.of('newPassword')}
          value={newPassword}
          onChange={(event) => setNew(event.currentTarget.value)}
        />
        <ProblemNote error={isCurrentWrong ? null : problems.rest} />
        <div className="page-actions">
          <Button type="submit" loading={change.isPending}>
            {t('password.change')}
          </Button>
        </div>
      </form>
    </Panel>
  )
}
