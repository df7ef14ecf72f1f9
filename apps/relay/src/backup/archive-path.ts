import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, resolve } from 'node:path'
import { StartError } from '@smsgw/daemon/start-error'

const PACKAGE_FOLDER = '/var/lib/smsgw'

/** Returns the path of a new backup. Never returns the path of an existing file. */
export function newArchivePath(file: string): string {
  const path = resolve(file)
  const folder = dirname(path)
  requireAccess(
    folder,
    constants.W_OK | constants.X_OK,
    `the user ${userName()} cannot write to ${folder}. Use a folder to which this user can write. With the Debian package, use for example ${PACKAGE_FOLDER}/gateway or ${PACKAGE_FOLDER}/relay`,
  )
  if (existsSync(path)) throw new StartError(`${path} already exists: use another file name`)
  return path
}

/** Returns the path of the backup to restore. */
export function existingArchivePath(file: string): string {
  const path = resolve(file)
  requireAccess(
    path,
    constants.R_OK,
    `the user ${userName()} cannot read ${path}. Copy the file to a folder that this user can read. With the Debian package, use for example \`sudo install -o smsgw -m 600 ${path} ${PACKAGE_FOLDER}/\``,
  )
  if (statSync(path).isDirectory())
    throw new StartError(`${path} is a folder: give the path of the backup file in this folder`)
  return path
}

function requireAccess(path: string, mode: number, refusal: string): void {
  try {
    accessSync(path, mode)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new StartError(`${path} does not exist`)
    // The refusal explains only a missing permission. The text of any other error, for example of a broken disk, is
    // added.
    throw new StartError(code === 'EACCES' ? refusal : `${refusal} (${message})`)
  }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // In a container, the user may have no name.
    return String(process.getuid?.())
  }
}
