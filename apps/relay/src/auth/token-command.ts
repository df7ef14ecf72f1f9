import { tokenRequest } from '@smsgw/contract/token'
import { StartError } from '@smsgw/daemon/start-error'
import { findAccount } from '../accounts/find-account.ts'
import { readArguments } from '../accounts/read-arguments.ts'
import type { Terminal } from '../accounts/terminal.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { revokeEnrolmentTokens } from './enrolment-token.ts'
import { rotateSigningKeys } from './rotate-signing-keys.ts'
import { SigningKeys } from './signing-keys.ts'
import { type IssueTokenDeps, issuePair } from './token-endpoints.ts'

export const tokenUsage = [
  'token issue <user> --scopes <scope,…> [--ttl <seconds>]   issue a token like POST /auth/token; prints JSON',
  'token revoke-enrolment <user>                             stop agents from joining with ENROLMENT_TOKEN',
]

export interface TokenCommandDeps extends Omit<IssueTokenDeps, 'signingKeys'> {
  readonly box: SecretBox
  readonly terminal: Terminal
}

/** `npm run relay -- token …` */
export async function tokenCommand(deps: TokenCommandDeps, args: readonly string[]): Promise<void> {
  const [name, ...rest] = args
  if (name === 'issue') await issue(deps, rest)
  else if (name === 'revoke-enrolment') await revokeEnrolment(deps, rest)
  else throw new StartError('token needs a command: issue or revoke-enrolment; see --help')
}

async function issue(deps: TokenCommandDeps, args: readonly string[]): Promise<void> {
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
  const account = await findAccount(deps.database, positionals[0])
  const { maxTtlSeconds, refreshTtlSeconds } = deps
  // Creates the first key when no relay has run on this database.
  await rotateSigningKeys({ ...deps, longestTokenSeconds: Math.max(maxTtlSeconds, refreshTtlSeconds) })
  const signingKeys = new SigningKeys(deps)
  const response = await issuePair({ ...deps, signingKeys }, { accountId: account.id }, request.data)
  deps.terminal.print(JSON.stringify(response, undefined, 2))
}

async function revokeEnrolment(
  { database, clock, terminal }: TokenCommandDeps,
  args: readonly string[],
): Promise<void> {
  const { positionals } = readArguments(args, {}, ['user'])
  const { id, username } = await findAccount(database, positionals[0])
  const count = await revokeEnrolmentTokens(database, clock, id)
  terminal.print(`revoked enrolment tokens of ${username}: ${count}`)
}
