import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join, resolve } from 'node:path'
import { socketPathIn } from '@smsgw/agent/status/control-socket'
import { StartError } from '@smsgw/daemon/start-error'

export interface GatewayCredentials {
  readonly username: string
  readonly password: string
}

/** Returns the account that the gateway created at its first start; undefined if the folder has none. */
export function readGatewayCredentials(folder: string): GatewayCredentials | undefined {
  const file = join(folder, 'credentials.json')
  const text = readOwnFile(file)
  return text === undefined ? undefined : parseGatewayCredentials(text, file)
}

export function parseGatewayCredentials(text: string, file: string): GatewayCredentials {
  try {
    const { username, password } = JSON.parse(text) as Record<string, unknown>
    if (typeof username === 'string' && username !== '' && typeof password === 'string' && password !== '')
      return { username, password }
  } catch {
    // The error of JSON.parse would quote a part of the file, which may be the password.
  }
  throw new StartError(`${file} is not valid. Expected: {"username": "sms", "password": "…"}`)
}

/** Stores the address of the running gateway, to which commands may send its password. */
export function storeGatewayAddress(folder: string, url: string): void {
  writeFileSync(join(folder, ADDRESS), `${url}\n`, { mode: 0o600 })
}

/** Returns the address of the gateway that last started in this folder; undefined if none did. */
export function readGatewayAddress(folder: string): string | undefined {
  const stored = readOwnFile(join(folder, ADDRESS))?.trim()
  if (stored === undefined || !URL.canParse(stored)) return undefined
  // A gateway that listens on all addresses is reached on this machine through the loopback address.
  return stored.replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:|$)/, '$1127.0.0.1')
}

/**
 * Returns true if the gateway of this folder is running at this port. Another program may listen at the port while the
 * gateway is stopped; it must not get the password.
 */
export async function runsGatewayAt(folder: string, url: string): Promise<boolean> {
  const stored = readGatewayAddress(folder)
  if (stored === undefined) return false
  const [own, asked] = [new URL(stored), new URL(url)]
  return own.port === asked.port && own.protocol === asked.protocol && (await hasListener(folder))
}

const ADDRESS = 'api-address'

/** The socket is in a folder that only the user of the gateway can open, and the kernel refuses it after a crash. */
async function hasListener(folder: string): Promise<boolean> {
  const path = socketPathIn(folder)
  const socket = createConnection(path.short)
  try {
    return await new Promise((settle) => {
      socket.once('connect', () => settle(true))
      socket.once('error', () => settle(false))
    })
  } finally {
    socket.destroy()
    path.release()
  }
}

/** Returns undefined if the file does not exist. Refuses files of other users, who could choose their content. */
function readOwnFile(file: string): string | undefined {
  const caller = process.getuid?.() ?? 0
  try {
    const { uid, mode } = statSync(file)
    if ((mode & 0o170000) !== 0o100000) throw new StartError(`${file} is not a regular file`)
    if (caller !== 0 && uid !== 0 && uid !== caller)
      throw new StartError(`${file} belongs to another user: run the command as the user of the gateway`)
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'EACCES')
      throw new StartError(
        `${resolve(file)} cannot be read: run the command as the user of the gateway, or with sudo`,
        {
          cause: error,
        },
      )
    throw error
  }
}
