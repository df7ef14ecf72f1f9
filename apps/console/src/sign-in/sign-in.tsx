import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useSignIn } from '../api/session.ts'
import { Wordmark } from '../shell/wordmark.tsx'
import { useTitle } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import './sign-in.css'

export function SignIn() {
  useTitle('Sign in')
  const signIn = useSignIn()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  return (
    <main className="sign-in">
      <form
        className="sign-in-card"
        onSubmit={(event) => {
          event.preventDefault()
          signIn.mutate({ username, password })
        }}
      >
        <Wordmark />
        <div>
          <h1>Sign in</h1>
          <p className="quiet">With the account that the gateway named when it started.</p>
        </div>
        <TextInput
          label="Account"
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          autoFocus
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <ProblemNote error={signIn.error} />
        <Button type="submit" size="md" fullWidth loading={signIn.isPending}>
          Sign in
        </Button>
        <p className="quiet small">
          On a box of your own the account is <code>sms</code>; its password was shown at the first start and is kept in{' '}
          <code>credentials.json</code> in the data folder.
        </p>
      </form>
    </main>
  )
}
