import { chownSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** Returns an unprivileged user, as in a container; returns the current user if it is not root. */
const nobody = { uid: 65534, gid: 65534 }
const isRoot = process.getuid?.() === 0

/** Returns the command prefix that switches to this user. */
export const asOrdinaryUser: readonly string[] = isRoot
  ? ['setpriv', `--reuid=${nobody.uid}`, `--regid=${nobody.gid}`, '--clear-groups']
  : []

/** Creates a folder to which this user may write. */
export function makeOwnFolder(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true })
  mkdirSync(folder, { mode: 0o750, recursive: true })
  if (isRoot) chownSync(folder, nobody.uid, nobody.gid)
}

export function giveToOrdinaryUser(file: string): void {
  if (isRoot) chownSync(file, nobody.uid, nobody.gid)
}
