import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { handOver, type OrdinaryUser } from './ordinary-user.ts'

const SOCKET_NAME = '.s.PGSQL.5432'
/** `sun_path` has 108 bytes on Linux and 104 on macOS, including the final zero. */
const LONGEST_PATH = 103

export interface SocketFolder {
  readonly path: string
  remove(): void
}

/** Uses the data folder, which only its owner may enter, or a private folder in /tmp when its path is too long. */
export function socketFolder(dataFolder: string, user: OrdinaryUser): SocketFolder {
  if (Buffer.byteLength(join(dataFolder, SOCKET_NAME)) <= LONGEST_PATH)
    return { path: dataFolder, remove: () => undefined }
  const path = mkdtempSync(join(tmpdir(), 'smsgw-'))
  handOver(path, user)
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
