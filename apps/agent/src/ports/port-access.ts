import { readFile, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'

/** The permissions of a device, and the user of this process. */
export interface PortAccess {
  readonly path: string
  readonly user: string
  readonly isSuperuser: boolean
  /** The group of the device. */
  readonly group: string
  readonly groupMayUse: boolean
  /**
   * True if /etc/group lists the user in the group. A change of that file does not affect users who are already logged
   * in.
   */
  readonly isMember: boolean
  /** True if the device has just appeared or changed, because udev may still set its permissions. */
  readonly isFresh: boolean
}

/** Reads the permissions of a device. Returns undefined if the device does not exist. */
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
    // The comparison uses the absolute difference, because a time in the future shows that the clock was set back.
    isFresh: Math.abs(Date.now() - device.ctimeMs) < freshMs,
  }
}

/** Describes in one line why access is denied and what to do. */
export function describeForbidden({ path, user, isSuperuser, group, groupMayUse, isMember }: PortAccess): string {
  if (isSuperuser) {
    return `no permission, although this process runs as root: pass the device to the container (--device=${path})`
  }
  if (!groupMayUse) {
    return `no permission: only the owner of the port may use it. Add a udev rule that sets a group, or run "sudo chmod g+rw ${path}"`
  }
  if (isMember) {
    return `no permission: "${user}" was added to the group "${group}" after this login. Log in again or restart the service`
  }
  return `no permission: the port belongs to the group "${group}". Run "sudo usermod -aG ${group} ${user}", then log in again`
}

/** Returns the command that gives this user access after the next login; undefined if no group gives access. */
export function grantAccess({ user, isSuperuser, group, groupMayUse, isMember }: PortAccess): string[] | undefined {
  return isSuperuser || !groupMayUse || isMember ? undefined : ['usermod', '-aG', group, user]
}

const freshMs = 3_000
