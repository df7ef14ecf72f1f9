import { useSignedIn } from '../session-context.ts'
import { Page, Panel } from '../ui/page.tsx'
import { t } from '../words/text.ts'
import { ChangePassword } from './change-password.tsx'
import { Tokens } from './tokens.tsx'

/** Tokens for programs and the password of the account. */
export default function Access() {
  const { mode } = useSignedIn()
  return (
    <Page title={t('access.title')} about={t('access.about')}>
      {mode === 'cloud' ? (
        <Tokens />
      ) : (
        <Panel title={t('tokens.title')}>
          <p className="quiet">{t('tokens.notHere')}</p>
        </Panel>
      )}
      <ChangePassword />
    </Page>
  )
}
