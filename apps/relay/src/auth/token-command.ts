import { tokenRequest } from '@smsgw/contract/token'
import { StartError } from '@smsgw/daemon/start-error'
import { findAccount } from '../accounts/find-account.ts'
import { readArguments } from '../accounts/read-arguments.ts'
import type { Terminal } from '../accounts/terminal.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { revokeEnrolmentTokens } from './enrolment-token.ts'
import { type IssueTokenNeeds, issuePair } from './issue-token.ts'
import { rotateSigningKeys } from './rotate-signing-keys.ts'
import { SigningKeys } from './signing-keys.ts'

export const tokenUsage = [
  'token issue <user> --scopes <scope,…> [--ttl <seconds>]   makes a token, as POST /auth/token does; prints JSON',
  'token revoke-enrolment <user>                             no further agent joins with ENROLMENT_TOKEN',
]

export interface TokenCommandNeeds extends Omit<IssueTokenNeeds, 'signingKeys'> {
  readonly box: SecretBox
  readonly terminal: Terminal
}

/** `npm run relay -- token …` */
export async function tokenCommand(needs: TokenCommandNeeds, args: readonly string[]): Promise<void> {
  const [name, ...rest] = args
  if (name === 'issue') await issue(needs, rest)
  else if (name === 'revoke-enrolment') await revokeEnrolment(needs, rest)
  else throw new StartError('token takes one of issue, revoke-enrolment; --help shows how')
}

async function issue(needs: TokenCommandNeeds, args: readonly string[]): Promise<void> {
  const flags = { scopes: { type: 'string' }, ttl: { type: 'string' } } as const
  const { positionals, values } = readArguments(args, flags, ['user'])
  const request = tokenRequest.safeParse({
    scopes: values.scopes?.split(',').map((scope) => scope.trim()),
    ttl: values.ttl === undefined ? undefined : Number(values.ttl),
  })
  if (!request.success) {
    const [issue] = request.error.issues
    const problem = values.scopes === undefined ? 'is missing' : (issue?.message ?? '')
    throw new StartError(
      `--${String(issue?.path[0])} ${problem}; for example --scopes messages:send,messages:read --ttl 3600`,
    )
  }
  const account = await findAccount(needs.database, positionals[0])
  const { maxTtlSeconds, refreshTtlSeconds } = needs
  // On a new database no relay may have run yet.
  await rotateSigningKeys({ ...needs, longestTokenSeconds: Math.max(maxTtlSeconds, refreshTtlSeconds) })
  const signingKeys = new SigningKeys(needs)
  const response = await issuePair({ ...needs, signingKeys }, { accountId: account.id }, request.data)
  needs.terminal.print(JSON.stringify(response, undefined, 2))
}

async function revokeEnrolment(
  { database, clock, terminal }: TokenCommandNeeds,
  args: readonly string[],
): Promise<void> {
  const { positionals } = readArguments(args, {}, ['user'])
  const { id, username } = await findAccount(database, positionals[0])
  const count = await revokeEnrolmentTokens(database, clock, id)
  terminal.print(`enrolment tokens of ${username} that were revoked: ${count}`)
}
