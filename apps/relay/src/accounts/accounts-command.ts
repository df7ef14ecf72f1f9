import { StartError } from '@smsgw/daemon/start-error'
import type { Clock } from '../clock.ts'
import { changePassword } from './change-password.ts'
import { choosePassword } from './choose-password.ts'
import { type AccountNeeds, createAccount } from './create-account.ts'
import { findAccount } from './find-account.ts'
import { listAccounts } from './list-accounts.ts'
import { readArguments } from './read-arguments.ts'
import { removeAccount } from './remove-account.ts'
import type { Terminal } from './terminal.ts'
import { canonicalUsername, usernameProblem } from './username.ts'

export const accountsUsage = [
  'accounts add <user> [--generate | --password-stdin]       makes an account; asks for its password',
  'accounts list [--json]                                    all accounts',
  'accounts password <user> [--generate | --password-stdin] [--keep-tokens]',
  '                                                          changes a password; revokes tokens, too',
  'accounts remove <user> [--yes]                            removes an account with everything of it',
]

export interface AccountsCommandNeeds extends AccountNeeds {
  readonly clock: Clock
  readonly terminal: Terminal
}

/** `npm run relay -- accounts …` */
export async function accountsCommand(needs: AccountsCommandNeeds, args: readonly string[]): Promise<void> {
  const [name = '', ...rest] = args
  const command = commands.get(name)
  if (!command) throw new StartError(`accounts takes one of ${[...commands.keys()].join(', ')}; --help shows how`)
  await command(needs, rest)
}

const commands = new Map<string, (needs: AccountsCommandNeeds, args: readonly string[]) => Promise<void>>([
  ['add', add],
  ['list', list],
  ['password', password],
  ['remove', remove],
])

const passwordFlags = { generate: { type: 'boolean' }, 'password-stdin': { type: 'boolean' } } as const

async function add(needs: AccountsCommandNeeds, args: readonly string[]): Promise<void> {
  const { positionals, values } = readArguments(args, passwordFlags, ['user'])
  const username = canonicalUsername(positionals[0])
  const problem = usernameProblem(username)
  if (problem !== undefined) throw new StartError(problem)
  const chosen = await choosePassword(needs, username, values)
  const accountId = await createAccount(needs, { username, password: chosen.password })
  if (accountId === undefined)
    throw new StartError(`${username} is there already; \`accounts password\` changes its password`)
  needs.terminal.print(`account ${username} was made`)
  tellPassword(needs, chosen)
}

async function list({ database, terminal }: AccountsCommandNeeds, args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, { json: { type: 'boolean' } }, [])
  const accounts = await listAccounts(database)
  if (values.json) return terminal.print(JSON.stringify(accounts))
  if (accounts.length === 0) return terminal.print('there are no accounts; `accounts add <user>` makes one')
  const width = Math.max(...accounts.map(({ username }) => username.length))
  for (const { username, createdAt, devices } of accounts)
    terminal.print(`${username.padEnd(width)}  since ${createdAt.toISOString().slice(0, 10)}  devices: ${devices}`)
}

async function password(needs: AccountsCommandNeeds, args: readonly string[]): Promise<void> {
  const flags = { ...passwordFlags, 'keep-tokens': { type: 'boolean' } } as const
  const { positionals, values } = readArguments(args, flags, ['user'])
  const account = await findAccount(needs.database, positionals[0])
  const chosen = await choosePassword(needs, account.username, values)
  const { isChanged, revoked } = await changePassword(needs, account, {
    password: chosen.password,
    keepTokens: values['keep-tokens'] ?? false,
  })
  if (!isChanged) throw new StartError(`${account.username} was removed meanwhile; nothing was changed`)
  needs.terminal.print(`the password of ${account.username} was changed; tokens that were revoked: ${revoked}`)
  tellPassword(needs, chosen)
}

async function remove({ database, clock, terminal }: AccountsCommandNeeds, args: readonly string[]): Promise<void> {
  const { positionals, values } = readArguments(args, { yes: { type: 'boolean' } }, ['user'])
  const { id, username } = await findAccount(database, positionals[0])
  if (!values.yes) {
    if (!terminal.isInteractive) throw new StartError('nobody is there to confirm: --yes removes without asking')
    const question = `Messages, inbox, devices and webhooks of ${username} are removed with it. Its name, to confirm: `
    if (canonicalUsername((await terminal.ask(question)).trim()) !== username)
      throw new StartError('nothing was removed')
  }
  await removeAccount(database, clock, id)
  terminal.print(`account ${username} was removed`)
}

/** The only time that it is shown. */
function tellPassword(
  { terminal }: AccountsCommandNeeds,
  chosen: { readonly password: string; readonly isGenerated: boolean },
): void {
  if (chosen.isGenerated) terminal.print(`password: ${chosen.password}`)
}
