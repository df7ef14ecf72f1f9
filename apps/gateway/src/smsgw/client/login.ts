import { printLine } from '@smsgw/agent/cli/terminal'
import { SmsGateway } from '@smsgw/client'
import type { SessionInfo } from '@smsgw/client/openapi'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { StartError, UsageError } from '@smsgw/daemon/start-error'
import { processTerminal } from '@smsgw/daemon/terminal/terminal'
import { type ApiAccount, checkUrl, forgetAccount, saveAccount } from './account.ts'

/**
 * Checks the credentials with the gateway before it saves them. A secret is never an argument, because other users can
 * see arguments.
 */
export async function login({ positionals, values }: CommandLine, environment: NodeJS.ProcessEnv): Promise<number> {
  const [url = ''] = positionals
  checkUrl(url)
  const account: ApiAccount = { url, credentials: await askCredentials(values) }
  const { body } = await new SmsGateway(account).request<SessionInfo>({ method: 'GET', path: '/session' })
  printLine(`logged in to ${url} as ${body.username}; saved in ${saveAccount(account, environment)}`)
  return 0
}

export function logout(environment: NodeJS.ProcessEnv): number {
  printLine(forgetAccount(environment) ? 'saved login removed' : 'no saved login')
  return 0
}

async function askCredentials(values: CommandLine['values']): Promise<ApiAccount['credentials']> {
  if (values['url'] !== undefined) throw new UsageError('login takes the address as its argument: login <url>')
  const readsInput = values['stdin'] === true
  if (!readsInput && !processTerminal.isInteractive)
    throw new StartError(
      'cannot ask without a terminal: use --stdin, and pass the password or the key as standard input',
    )
  const secretOf = async (question: string) =>
    readsInput ? (await processTerminal.readInput()).trim() : processTerminal.askHidden(question)
  if (values['api-key'] === true) return { apiKey: await secretOf('API key: ') }
  const given = values['username']
  if (readsInput && typeof given !== 'string') throw new UsageError('--stdin needs --username <name> or --api-key')
  const username = typeof given === 'string' ? given : await processTerminal.ask('Username: ')
  return { username: username.trim(), password: await secretOf('Password: ') }
}
