import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurably } from '@smsgw/daemon/durable-file'
import { StartError } from '@smsgw/daemon/start-error'
import { z } from 'zod'

export interface Secrets {
  readonly serverSecret: string
  readonly username: string
  readonly password: string
  /** They were made just now: the password is worth showing once. */
  readonly areNew: boolean
  /** Where the password is. */
  readonly credentialsFile: string
}

/** The secrets of this box: made at the first start, kept where its owner alone can read. What is configured wins. */
export function readSecrets(
  folder: string,
  configured: { readonly serverSecret: string | undefined; readonly password: string | undefined },
): Secrets {
  const secretFile = join(folder, 'server-secret')
  const credentialsFile = join(folder, 'credentials.json')
  const serverSecret =
    configured.serverSecret ?? readIfThere(secretFile)?.trim() ?? made(secretFile, randomBytes(32).toString('base64'))
  const known = readIfThere(credentialsFile)
  if (known !== undefined)
    return { serverSecret, ...credentialsIn(known, credentialsFile), areNew: false, credentialsFile }
  const fresh = { username: 'sms', password: configured.password ?? randomBytes(12).toString('base64url') }
  made(credentialsFile, JSON.stringify(fresh, undefined, 2))
  return { serverSecret, ...fresh, areNew: true, credentialsFile }
}

/** The password was changed through the API: the file goes on saying which one is right. */
export function keepCredentials(
  credentialsFile: string,
  { username, password }: { readonly username: string; readonly password: string },
): void {
  made(credentialsFile, JSON.stringify({ username, password }, undefined, 2))
}

const credentials = z.object({ username: z.string().min(1), password: z.string().min(1) })

function credentialsIn(text: string, file: string): z.output<typeof credentials> {
  try {
    return credentials.parse(JSON.parse(text))
  } catch (error) {
    throw new StartError(`${file} cannot be read: it holds {"username": "sms", "password": "…"}`, { cause: error })
  }
}

function made(file: string, content: string): string {
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
