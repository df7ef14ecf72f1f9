import { useSignedIn } from '../session-context.ts'
import { Page, Panel } from '../ui/page.tsx'
import { ChangePassword } from './change-password.tsx'
import { Tokens } from './tokens.tsx'

/** Who may use this gateway: tokens for programs, the password for people. */
export default function Access() {
  const { mode } = useSignedIn()
  return (
    <Page title="Access" about="Tokens for programs, and the password of your account.">
      {mode === 'cloud' ? (
        <Tokens />
      ) : (
        <Panel title="Tokens">
          <p className="quiet">
            A gateway on a box of your own knows no tokens: programs use the account and its password (Basic
            authentication). Tokens are there where a relay serves several.
          </p>
        </Panel>
      )}
      <ChangePassword />
    </Page>
  )
}
