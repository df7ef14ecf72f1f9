import { tokenRequest } from '@smsgw/contract/access/token'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { StartError } from '@smsgw/daemon/start-error'
import { printJson, type Terminal } from '@smsgw/daemon/terminal/terminal'
import { findAccount } from '../../accounts/find-account.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import { revokeEnrolmentTokens } from '../enrolment-token.ts'
import { rotateSigningKeys } from './rotate-signing-keys.ts'
import { SigningKeys } from './signing-keys.ts'
import { type IssueTokenDeps, issuePair } from './token-endpoints.ts'

export interface TokenCommandDeps extends Omit<IssueTokenDeps, 'signingKeys'> {
  readonly box: SecretBox
  readonly terminal: Terminal
}

/** `npm run relay -- token …` */
export async function tokenCommand(deps: TokenCommandDeps, line: CommandLine): Promise<void> {
  if (line.name === 'token issue') await issue(deps, line)
  else await revokeEnrolment(deps, line)
}

async function issue(deps: TokenCommandDeps, { positionals, values }: CommandLine): Promise<void> {
  const { scopes, ttl } = values
  const request = tokenRequest.safeParse({
    scopes:
      scopes === undefined
        ? undefined
        : String(scopes)
            .split(',')
            .map((scope) => scope.trim()),
    ttl: ttl === undefined ? undefined : Number(ttl),
  })
  if (!request.success) {
    const [issue] = request.error.issues
    const problem = scopes === undefined ? 'is missing' : (issue?.message ?? '')
    throw new StartError(
      `--${String(issue?.path[0])} ${problem}; for example --scopes messages:send,messages:read --ttl 3600`,
    )
  }
  const account = await findAccount(deps.database, positionals[0] ?? '')
  const { maxTtlSeconds, refreshTtlSeconds } = deps
  // Creates the first key when no relay has run on this database.
  await rotateSigningKeys({ ...deps, longestTokenSeconds: Math.max(maxTtlSeconds, refreshTtlSeconds) })
  const signingKeys = new SigningKeys(deps)
  const response = await issuePair({ ...deps, signingKeys }, { accountId: account.id }, request.data)
  printJson(deps.terminal, response)
}

async function revokeEnrolment(
  { database, clock, terminal }: TokenCommandDeps,
  { positionals }: CommandLine,
): Promise<void> {
  const { id, username } = await findAccount(database, positionals[0] ?? '')
  const count = await revokeEnrolmentTokens(database, clock, id)
  terminal.print(`revoked enrolment tokens of ${username}: ${count}`)
}
