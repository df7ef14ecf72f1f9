import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useLayoutEffect, useState } from 'react'
import { useSignIn } from '../api/session.ts'
import { takeEarlySignIn } from '../boot/early-sign-in.ts'
import { Wordmark } from '../shell/wordmark.tsx'
import { useTitle } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { useFieldProblems } from '../ui/use-field-problems.ts'
import { directionOf, rich, t } from '../words/text.ts'
import './sign-in.css'

export function SignIn() {
  useTitle(t('signIn.title'))
  const signIn = useSignIn()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const problems = useFieldProblems(signIn.error, ['username', 'password'])
  const { form } = problems
  const { mutate } = signIn
  useLayoutEffect(() => {
    const early = takeEarlySignIn()
    if (early === undefined) return
    setUsername(early.username)
    setPassword(early.password)
    form.current?.querySelector<HTMLInputElement>(`[name="${early.focused}"]`)?.focus()
    if (early.isSubmitted) mutate({ username: early.username, password: early.password })
  }, [mutate, form])
  return (
    <main className="sign-in">
      <form
        ref={form}
        className="sign-in-card"
        // Switches off the checks of the browser, because the API describes problems of the fields in the language of
        // the console.
        noValidate
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
          dir={directionOf(username)}
          label={t('signIn.username')}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          autoFocus
          error={problems.of('username')}
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
          error={problems.of('password')}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <ProblemNote error={problems.rest} />
        <Button type="submit" size="md" fullWidth loading={signIn.isPending}>
          {t('signIn.title')}
        </Button>
        <p className="quiet small">{rich('signIn.help')}</p>
      </form>
    </main>
  )
}
