import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { handOver, type OrdinaryUser } from './ordinary-user.ts'

const SOCKET_NAME = '.s.PGSQL.5432'
/** `sun_path` of Linux holds 108 bytes and of macOS 104, the closing zero among them. */
const LONGEST_PATH = 103

export interface SocketFolder {
  readonly path: string
  remove(): void
}

/** The data folder itself, which only its owner may enter; when its name is too long, a private one in /tmp. */
export function socketFolder(dataFolder: string, user: OrdinaryUser): SocketFolder {
  if (Buffer.byteLength(join(dataFolder, SOCKET_NAME)) <= LONGEST_PATH)
    return { path: dataFolder, remove: () => undefined }
  const path = mkdtempSync(join(tmpdir(), 'smsgw-'))
  handOver(path, user)
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
