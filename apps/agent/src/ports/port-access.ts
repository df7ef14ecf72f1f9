import { readFile, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'

/** Who may use a device, and who we are. */
export interface PortAccess {
  readonly path: string
  readonly user: string
  readonly isSuperuser: boolean
  /** Of the device. */
  readonly group: string
  readonly groupMayUse: boolean
  /** By the list of groups; a login from before does not know of it. */
  readonly isMember: boolean
  /** It has just come, or been given to somebody: udev does that a moment after it has come. */
  readonly isFresh: boolean
}

/** Undefined when there is nothing any more. */
export async function readPortAccess(path: string, groups = '/etc/group'): Promise<PortAccess | undefined> {
  const device = await stat(path).catch(() => undefined)
  if (device === undefined) return undefined
  const { username } = userInfo()
  const lines = (await readFile(groups, 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'))
  const [name, , , members] = lines.find(([, , id]) => id === String(device.gid)) ?? []
  return {
    path,
    user: username,
    isSuperuser: process.getuid?.() === 0,
    group: name ?? String(device.gid),
    groupMayUse: (device.mode & 0o060) === 0o060,
    isMember: (members ?? '').split(',').includes(username),
    isFresh: Date.now() - device.ctimeMs < freshMs,
  }
}

/** In one line that says what to do. */
export function wordsOfForbidden({ path, user, isSuperuser, group, groupMayUse, isMember }: PortAccess): string {
  if (isSuperuser) {
    return `no permission, though this is the superuser: a container has to be given the device (--device=${path})`
  }
  if (!groupMayUse) {
    return `no permission: only its owner may use it. Let udev give it to a group, or try "sudo chmod g+rw ${path}"`
  }
  if (isMember) {
    return `no permission: "${user}" is in the group "${group}" since the last login; log in again or restart the service`
  }
  return `no permission: it belongs to the group "${group}"; "sudo usermod -aG ${group} ${user}", then log in again`
}

const freshMs = 3_000
