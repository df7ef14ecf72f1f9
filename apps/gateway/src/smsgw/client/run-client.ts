import { SmsGateway } from '@smsgw/client'
import { ApiError, SmsGatewayError } from '@smsgw/client/errors'
import { type CommandLine, commandLines, readCommandLine } from '@smsgw/daemon/command-line'
import { StartError } from '@smsgw/daemon/start-error'
import { failOnOutputErrors } from '@smsgw/daemon/terminal/output'
import { printable } from '@smsgw/daemon/terminal/printable'
import { VERSION } from '@smsgw/daemon/version'
import { readAccount } from './account.ts'
import { clientCommands } from './commands.ts'

/** Runs a command for the API, such as `smsgw send`. Ends the process if the command fails. */
export async function runClient(args: readonly string[]): Promise<void> {
  failOnOutputErrors((error) => fail(new StartError(`cannot write the output: ${error.message}`)))
  try {
    const line = readCommandLine(clientCommands, args)
    if (line.name === '--help') process.stdout.write(clientHelp())
    else process.exitCode = await run(line)
  } catch (error) {
    fail(error)
  }
}

/** Returns the exit code. */
async function run(line: CommandLine): Promise<number> {
  if (line.name === 'login' || line.name === 'logout') {
    const { login, logout } = await import('./login.ts')
    return line.name === 'login' ? login(line, process.env) : logout(process.env)
  }
  const account = await readAccount(
    { url: text(line, 'url'), username: text(line, 'username'), apiKeyFile: text(line, 'api-key-file') },
    process.env,
  )
  const sms = new SmsGateway(account)
  if (line.name === 'send') return (await import('./send-text.ts')).sendFromCommandLine(sms, line)
  if (line.name === 'inbox') return (await import('./show-inbox.ts')).showInbox(sms, line)
  if (line.name === 'notify-by-sms') return (await import('./notify-by-sms.ts')).notifyBySms(sms, line, process.env)
  if (line.name.startsWith('keys ')) return (await import('./manage-keys.ts')).manageKeys(sms, line)
  if (line.name === 'mcp') return serveMcp(sms)
  return (await import('./listen.ts')).listenForEvents(sms, account.url, line, process.env)
}

/**
 * Serves the tools for AI assistants until the client closes standard input. Standard output is used only by the
 * protocol.
 */
async function serveMcp(sms: SmsGateway): Promise<number> {
  // Loads the MCP library only for this command.
  const { serveOverStdio } = await import('@smsgw/mcp/stdio')
  await serveOverStdio({
    api: sms,
    version: VERSION,
    input: process.stdin,
    output: process.stdout,
    onError: ({ message }) => process.stderr.write(`smsgw: ${printable(message)}\n`),
  })
  return 0
}

function clientHelp(): string {
  return `Commands for the API of a gateway or relay, on this machine or elsewhere.

${commandLines(clientCommands).join('\n')}

Address and credentials come from the options; then from SMSGW_URL, SMSGW_USERNAME, SMSGW_PASSWORD and SMSGW_API_KEY (each
secret may come from the file in SMSGW_PASSWORD_FILE or SMSGW_API_KEY_FILE); then from the last login; then from the
data folder of a running gateway on this machine, if this user may read it.
`
}

function text({ values }: CommandLine, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

function fail(error: unknown): never {
  process.stderr.write(`smsgw: ${printable(reasonOf(error))}\n`)
  process.exit(error instanceof StartError ? error.exitCode : 1)
}

/** Returns one line for an error that the user can fix, and a stack trace for any other error. */
function reasonOf(error: unknown): string {
  if (error instanceof ApiError && error.errors.length > 0)
    return error.errors.map(({ path, message }) => `${path} ${message}`).join('; ')
  if (error instanceof StartError || error instanceof SmsGatewayError || error instanceof TypeError)
    return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
