import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurably } from '@smsgw/daemon/files/durable-file'
import { generatePassword } from '@smsgw/relay/accounts/generated-password'
import { systemRandom } from '@smsgw/relay/random'
import { secretBox } from '@smsgw/relay/store/secret-box'
import { parseGatewayCredentials } from './credentials-file.ts'

export interface Secrets {
  readonly serverSecret: string
  readonly username: string
  readonly password: string
  /** The file that contains the password. */
  readonly credentialsFile: string
}

/**
 * Reads the secrets of this gateway; creates them at the first start, readable by their owner only. Settings take
 * precedence.
 */
export function readSecrets(
  folder: string,
  configured: { readonly serverSecret: string | undefined; readonly password: string | undefined },
): Secrets {
  const secretFile = join(folder, 'server-secret')
  const credentialsFile = join(folder, 'credentials.json')
  const serverSecret =
    configured.serverSecret ?? readIfThere(secretFile)?.trim() ?? write(secretFile, randomBytes(32).toString('base64'))
  const existing = readIfThere(credentialsFile)
  if (existing !== undefined)
    return { serverSecret, ...parseGatewayCredentials(existing, credentialsFile), credentialsFile }
  const created = { username: 'sms', password: configured.password ?? generated(serverSecret) }
  write(credentialsFile, JSON.stringify(created, undefined, 2))
  return { serverSecret, ...created, credentialsFile }
}

/** Stores the new password after it was changed through the API. */
export function storeCredentials(
  credentialsFile: string,
  { username, password }: { readonly username: string; readonly password: string },
): void {
  write(credentialsFile, JSON.stringify({ username, password }, undefined, 2))
}

/**
 * Generates a password that the relay recognises. The limit of login attempts per IP address does not apply to it, so
 * the owner can sign in even while another person at the same address guesses passwords.
 */
function generated(serverSecret: string): string {
  return generatePassword(secretBox(serverSecret, systemRandom), systemRandom)
}

function write(file: string, content: string): string {
  writeDurably(file, `${content}\n`)
  return content
}

function readIfThere(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8')
    chmodSync(file, 0o600)
    return text
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
