import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { useSignIn } from '../api/session.ts'
import { takeEarlySignIn } from '../boot/early-sign-in.ts'
import { Wordmark } from '../shell/wordmark.tsx'
import { useTitle } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { rich, t } from '../words/text.ts'
import './sign-in.css'

export function SignIn() {
  useTitle(t('signIn.title'))
  const signIn = useSignIn()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const form = useRef<HTMLFormElement>(null)
  const { mutate } = signIn
  useLayoutEffect(() => {
    const early = takeEarlySignIn()
    if (early === undefined) return
    setUsername(early.username)
    setPassword(early.password)
    form.current?.querySelector<HTMLInputElement>(`[name="${early.focused}"]`)?.focus()
    if (early.isSubmitted) mutate({ username: early.username, password: early.password })
  }, [mutate])
  return (
    <main className="sign-in">
      <form
        ref={form}
        className="sign-in-card"
        onSubmit={(event) => {
          event.preventDefault()
          signIn.mutate({ username, password })
        }}
      >
        <Wordmark />
        <div>
          <h1>{t('signIn.title')}</h1>
          <p className="quiet">{t('signIn.about')}</p>
        </div>
        <TextInput
          label={t('signIn.username')}
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
          label={t('password.title')}
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': t('signIn.show'), tabIndex: 0 }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <ProblemNote error={signIn.error} />
        <Button type="submit" size="md" fullWidth loading={signIn.isPending}>
          {t('signIn.title')}
        </Button>
        <p className="quiet small">{rich('signIn.help')}</p>
      </form>
    </main>
  )
}
