import { Button, PasswordInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useChangePassword } from '../api/tokens.ts'
import { useSignedIn } from '../session-context.ts'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import './change-password.css'

/** Whoever changes it signs in anew, everywhere: who knew the old one is out. */
export function ChangePassword() {
  const { username } = useSignedIn()
  const client = useQueryClient()
  const change = useChangePassword()
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  return (
    <Panel
      title="Password"
      about={`Of the account ${username}. Everyone who is signed in with it signs in anew, you too.`}
    >
      <form
        className="fields change-password"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate(
            { currentPassword, newPassword },
            {
              onSuccess: () => {
                notifications.show({ message: 'The password is changed: sign in with the new one.' })
                client.setQueryData(['session'], null)
              },
            },
          )
        }}
      >
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <PasswordInput
          label="Present password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the present password' }}
          value={currentPassword}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <PasswordInput
          label="New password"
          description="Eight characters at least. Long and easy to remember is better than short and odd."
          autoComplete="new-password"
          required
          withAsterisk={false}
          minLength={8}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the new password' }}
          value={newPassword}
          onChange={(event) => setNew(event.currentTarget.value)}
        />
        <ProblemNote error={change.error} />
        <div className="page-actions">
          <Button type="submit" loading={change.isPending}>
            Change the password
          </Button>
        </div>
      </form>
    </Panel>
  )
}
