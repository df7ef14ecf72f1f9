import type { CommandLine } from '@smsgw/daemon/command-line'
import { StartError } from '@smsgw/daemon/start-error'
import { printableJson } from '@smsgw/daemon/terminal/printable'
import type { Terminal } from '@smsgw/daemon/terminal/terminal'
import type { Clock } from '../clock.ts'
import { publishHints } from '../hints/publish-hints-statement.ts'
import type { Database } from '../store/database.ts'
import { changePassword } from './change-password.ts'
import { type AccountDeps, createAccount } from './create-account.ts'
import { findAccount } from './find-account.ts'
import { generatePassword } from './generated-password.ts'
import { passwordProblem } from './password.ts'
import { removeAccount } from './remove-account.ts'
import { canonicalUsername, usernameProblem } from './username.ts'

export interface AccountsCommandDeps extends AccountDeps {
  readonly clock: Clock
  readonly terminal: Terminal
}

/** `npm run relay -- accounts …` */
export async function accountsCommand(deps: AccountsCommandDeps, line: CommandLine): Promise<void> {
  const command = commands.get(line.name)
  if (!command) throw new Error(`command ${line.name} has no implementation`)
  await command(deps, line)
}

const commands = new Map<string, (deps: AccountsCommandDeps, line: CommandLine) => Promise<void>>([
  ['accounts add', add],
  ['accounts list', list],
  ['accounts password', password],
  ['accounts remove', remove],
])

async function add(deps: AccountsCommandDeps, { positionals, values }: CommandLine): Promise<void> {
  const username = canonicalUsername(positionals[0] ?? '')
  const problem = usernameProblem(username)
  if (problem !== undefined) throw new StartError(problem)
  const chosen = await choosePassword(deps, username, ways(values))
  const accountId = await createAccount(deps, { username, password: chosen.password })
  if (accountId === undefined)
    throw new StartError(`account ${username} already exists: use \`accounts password\` to change its password`)
  deps.terminal.print(`account ${username} created`)
  printGenerated(deps, chosen)
}

/** Reads from the options how the password is chosen. */
export function ways(values: CommandLine['values']) {
  return { generate: values['generate'] === true, 'password-stdin': values['password-stdin'] === true }
}

async function list({ database, terminal }: AccountsCommandDeps, { values }: CommandLine): Promise<void> {
  const accounts = await listAccounts(database)
  if (values['json']) return terminal.print(printableJson(accounts))
  if (accounts.length === 0) return terminal.print('no accounts yet: create one with `accounts add <user>`')
  const width = Math.max(...accounts.map(({ username }) => username.length))
  for (const { username, createdAt, devices } of accounts)
    terminal.print(`${username.padEnd(width)}  since ${createdAt.toISOString().slice(0, 10)}  devices: ${devices}`)
}

async function password(deps: AccountsCommandDeps, { positionals, values }: CommandLine): Promise<void> {
  const account = await findAccount(deps.database, positionals[0] ?? '')
  const chosen = await choosePassword(deps, account.username, ways(values))
  const { isChanged, revoked } = await changePassword(deps, account, {
    password: chosen.password,
    keepTokens: values['keep-tokens'] === true,
  })
  if (!isChanged) throw new StartError(`account ${account.username} was removed during the command; nothing changed`)
  await publishHints(deps.database, [{ kind: 'access-changed', accountId: account.id }])
  deps.terminal.print(`password of ${account.username} changed; revoked tokens: ${revoked}`)
  printGenerated(deps, chosen)
}

async function remove(
  { database, clock, terminal }: AccountsCommandDeps,
  { positionals, values }: CommandLine,
): Promise<void> {
  const { id, username } = await findAccount(database, positionals[0] ?? '')
  if (!values['yes']) {
    if (!terminal.isInteractive) throw new StartError('cannot ask for confirmation without a terminal: use --yes')
    const question = `This removes all sent and received messages, devices and webhooks of ${username}. Type the username to confirm: `
    if (canonicalUsername((await terminal.ask(question)).trim()) !== username)
      throw new StartError('not confirmed, so nothing was removed')
  }
  await removeAccount(database, clock, id)
  await publishHints(database, [{ kind: 'access-changed', accountId: id }])
  terminal.print(`account ${username} removed`)
}

/** Prints a generated password, which is never shown again. */
export function printGenerated(
  { terminal }: Pick<AccountsCommandDeps, 'terminal'>,
  chosen: { readonly password: string; readonly isGenerated: boolean },
): void {
  if (chosen.isGenerated) terminal.print(`password: ${chosen.password}`)
}

interface AccountSummary {
  readonly id: string
  readonly username: string
  readonly createdAt: Date
  readonly devices: number
}

/** Lists all accounts by name, for the operator. All other lists contain the data of only one account. */
async function listAccounts(database: Database): Promise<AccountSummary[]> {
  const accounts = await database.account.findMany({
    orderBy: { username: 'asc' },
    select: {
      id: true,
      username: true,
      createdAt: true,
      _count: { select: { devices: { where: { deletedAt: null } } } },
    },
  })
  return accounts.map(({ _count, ...account }) => ({ ...account, devices: _count.devices }))
}

/**
 * Returns a new password that is typed twice, read from standard input, or generated. The password is never an argument
 * of the command, because other users of the machine could see it there.
 */
export async function choosePassword(
  { terminal, random, box }: Pick<AccountsCommandDeps, 'terminal' | 'random' | 'box'>,
  username: string,
  options: { readonly generate?: boolean | undefined; readonly 'password-stdin'?: boolean | undefined },
): Promise<{ readonly password: string; readonly isGenerated: boolean }> {
  if (options.generate && options['password-stdin'])
    throw new StartError('--generate and --password-stdin exclude each other: use one of them')
  if (options.generate) return { password: generatePassword(box, random), isGenerated: true }
  if (options['password-stdin'])
    return { password: acceptable(firstLine(await terminal.readInput()), username), isGenerated: false }
  if (!terminal.isInteractive)
    throw new StartError('cannot ask for a password without a terminal: use --password-stdin to read it, or --generate')
  const password = await terminal.askHidden(`Password for ${username} (leave empty to generate one): `)
  if (password === '') return { password: generatePassword(box, random), isGenerated: true }
  acceptable(password, username)
  if ((await terminal.askHidden('Once more: ')) !== password)
    throw new StartError('the passwords differ; nothing changed')
  return { password, isGenerated: false }
}

function firstLine(input: string): string {
  return input.split(/\r?\n/, 1)[0] ?? ''
}

function acceptable(password: string, username: string): string {
  const problem = passwordProblem(password, username)?.message
  if (problem !== undefined) throw new StartError(problem)
  return password
}
