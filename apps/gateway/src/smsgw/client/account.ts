import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { SmsGatewayOptions } from '@smsgw/client'
import { gatewayFolder } from '@smsgw/daemon/files/default-folder'
import { writeDurably } from '@smsgw/daemon/files/durable-file'
import { readSecret } from '@smsgw/daemon/settings'
import { StartError, UsageError } from '@smsgw/daemon/start-error'
import { userCommand } from '@smsgw/daemon/user-command'
import { readGatewayAddress, readGatewayCredentials, runsGatewayAt } from '../../credentials-file.ts'

/** The gateway and the credentials that a command uses. */
export type ApiAccount = Pick<SmsGatewayOptions, 'url' | 'credentials'>

export interface AccountOptions {
  readonly url?: string | undefined
  readonly username?: string | undefined
  readonly apiKeyFile?: string | undefined
}

const LOCAL_URL = 'http://127.0.0.1:3000'

/**
 * Returns the account from options, environment, the saved login, or a gateway whose data folder this user may read, in
 * this order. Saved credentials are sent only to the address for which they were saved, and the password of a gateway
 * only to the gateway itself.
 */
export async function readAccount(options: AccountOptions, environment: NodeJS.ProcessEnv): Promise<ApiAccount> {
  const saved = readSaved(environment)
  const given = givenCredentials(options, environment)
  const folder = environment['DATA_DIR'] || gatewayFolder
  const named = options.url ?? (environment['SMSGW_URL'] || saved?.url)
  // Other users may not read the folder, and need not.
  const own = named === undefined && given === undefined ? readGatewayAddress(folder) : undefined
  const url = named ?? own ?? LOCAL_URL
  checkUrl(url)
  if (given !== undefined) return { url, credentials: given }
  if (saved !== undefined && new URL(saved.url).href === new URL(url).href)
    return { url, credentials: saved.credentials }
  const local = url === own || isLoopback(url) ? readGatewayCredentials(folder) : undefined
  if (local !== undefined) {
    if (await runsGatewayAt(folder, url)) return { url, credentials: local }
    throw new StartError(
      `the gateway with the data folder ${resolve(folder)} is not running at ${url}: start it, or set SMSGW_URL to its address`,
    )
  }
  throw new StartError(
    `no credentials for ${url}: run \`${userCommand('client', 'login <url>')}\`, or set SMSGW_USERNAME and SMSGW_PASSWORD`,
  )
}

/** Saves an account for later commands, readable only by this user. Returns the name of the file. */
export function saveAccount(account: ApiAccount, environment: NodeJS.ProcessEnv): string {
  const file = savedFile(environment)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeDurably(file, `${JSON.stringify(account, undefined, 2)}\n`)
  return file
}

/** Returns false if nothing was saved. */
export function forgetAccount(environment: NodeJS.ProcessEnv): boolean {
  const file = savedFile(environment)
  if (!existsSync(file)) return false
  rmSync(file)
  return true
}

export function configFolder(environment: NodeJS.ProcessEnv): string {
  return join(environment['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'smsgw')
}

export function checkUrl(url: string): void {
  const { protocol = '', username = '', password = '' } = URL.parse(url) ?? {}
  // The error does not show the address, because it may contain a password.
  if (username !== '' || password !== '')
    throw new UsageError('the address must not contain a username or a password: set SMSGW_USERNAME and SMSGW_PASSWORD')
  if (!/^https?:$/.test(protocol))
    throw new UsageError(`"${url}" is not an address: use a URL such as https://sms.example.org`)
}

function givenCredentials(
  { username: option, apiKeyFile }: AccountOptions,
  environment: NodeJS.ProcessEnv,
): ApiAccount['credentials'] | undefined {
  const apiKey = readSecret(
    apiKeyFile === undefined ? environment : { SMSGW_API_KEY_FILE: apiKeyFile },
    'SMSGW_API_KEY',
  )
  if (apiKey !== undefined && option === undefined) return { apiKey }
  const username = option ?? (environment['SMSGW_USERNAME'] || undefined)
  const password = readSecret(environment, 'SMSGW_PASSWORD')
  if (password !== undefined) return { username: username ?? 'sms', password }
  if (option === undefined) return undefined
  throw new StartError(`the password of ${option} is missing: set SMSGW_PASSWORD or SMSGW_PASSWORD_FILE`)
}

function readSaved(environment: NodeJS.ProcessEnv): ApiAccount | undefined {
  const file = savedFile(environment)
  if (!existsSync(file)) return undefined
  if ((statSync(file).mode & 0o077) !== 0)
    throw new StartError(`${file} contains a secret, and other users may read it: run \`chmod 600 ${file}\``)
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ApiAccount
  } catch (error) {
    throw new StartError(`${file} cannot be read: ${(error as Error).message}; run login again`, { cause: error })
  }
}

function savedFile(environment: NodeJS.ProcessEnv): string {
  return join(configFolder(environment), 'client.json')
}

function isLoopback(url: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
}
