import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** Programs run as this user if the tests run as root, for example in a container. */
const nobody = { uid: 65534, gid: 65534 }
const isRoot = process.getuid?.() === 0

/** The prefix of a command that is to run without the rights of root. Empty if the current user is not root. */
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

export function giveAllToOrdinaryUser(folder: string): void {
  if (isRoot) execFileSync('chown', ['-R', `${nobody.uid}:${nobody.gid}`, folder])
}
