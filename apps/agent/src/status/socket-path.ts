import { closeSync, openSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Where a socket is, and by which name it is opened. */
export interface SocketPath {
  readonly file: string
  readonly short: string
  /** When the short name is not needed any more. */
  release(): void
}

/**
 * The agent's socket in its data folder. The kernel takes 107 bytes for the name of a socket, and a data folder may lie
 * deeper: then the folder is opened, and the socket is named by way of that.
 */
export function socketPathIn(folder: string): SocketPath {
  const file = join(resolve(folder), name)
  if (Buffer.byteLength(file) <= longestName) return { file, short: file, release: () => undefined }
  const descriptor = openSync(resolve(folder), 'r')
  return { file, short: `/proc/self/fd/${descriptor}/${name}`, release: () => closeSync(descriptor) }
}

const name = 'agent.sock'
const longestName = 107
