import { useSignedIn } from '../session-context.ts'
import { Page } from '../ui/page.tsx'
import { t } from '../words/text.ts'
import { ApiKeys } from './api-keys.tsx'
import { ChangePassword } from './change-password.tsx'
import { Tokens } from './tokens.tsx'

/** API keys and tokens for programs, and the password of the account. */
export default function Access() {
  const { mode } = useSignedIn()
  return (
    <Page title={t('access.title')} about={t(mode === 'cloud' ? 'access.about' : 'access.aboutLocal')}>
      <ApiKeys />
      {mode === 'cloud' && <Tokens />}
      <ChangePassword />
    </Page>
  )
}
