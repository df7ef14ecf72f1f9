import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { childEnvironment } from '@smsgw/daemon/child-environment'
import { StartError } from '@smsgw/daemon/start-error'

/** The user that runs PostgreSQL. PostgreSQL refuses root, and `initdb` also refuses a user without a name. */
export interface OrdinaryUser {
  /** The prefix of each PostgreSQL command. */
  readonly prefix: readonly string[]
  /** The owner of the data folder, if it is not the present user. */
  readonly owner: Owner | undefined
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

/**
 * Returns the present user if it is not root. Root uses a user namespace, in which root appears to be an ordinary user
 * but remains the owner of its files. Where namespaces are forbidden, as in many containers, root switches to the owner
 * of the data, or to `nobody`.
 */
export function ordinaryUser(postgres: string, dataFolder: string): OrdinaryUser {
  const isRoot = process.getuid?.() === 0
  if (!isRoot && hasName()) return { prefix: [], owner: undefined }
  const owner = ownerOf(dataFolder)
  const ways = !isRoot
    ? [inNamespace(somebody())]
    : owner !== undefined && owner.uid !== 0
      ? [steppedDown(owner)]
      : [inNamespace(somebody()), steppedDown(somebody())]
  const way = ways.find(({ prefix }) => works(prefix, postgres))
  if (way) return way
  throw new StartError(
    isRoot
      ? 'PostgreSQL does not run as root, and neither unshare nor setpriv (util-linux) can switch to another user here: ' +
          'start as an ordinary user, or set DATABASE_URL'
      : `PostgreSQL does not run as user ${process.getuid?.()}, which has no name: ` +
          'start as a user that is listed in /etc/passwd, or set DATABASE_URL',
  )
}

/** Makes the PostgreSQL user the owner of a folder, and makes the parent folders accessible. */
export function handOver(folder: string, { owner }: OrdinaryUser): void {
  if (owner === undefined) return
  const parent = dirname(folder)
  chmodSync(parent, statSync(parent).mode | 0o011)
  if (statSync(folder).uid === owner.uid) return
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file))
  for (const file of [folder, ...files]) chownSync(file, owner.uid, owner.gid)
}

function inNamespace({ uid, gid }: Owner): OrdinaryUser {
  return { prefix: ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`], owner: undefined }
}

function steppedDown(owner: Owner): OrdinaryUser {
  return { prefix: ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'], owner }
}

function works([file = '', ...prefix]: readonly string[], postgres: string): boolean {
  return spawnSync(file, [...prefix, postgres, '--version'], { stdio: 'ignore', env: childEnvironment() }).status === 0
}

function ownerOf(folder: string): Owner | undefined {
  return statSync(folder, { throwIfNoEntry: false })
}

function hasName(): boolean {
  try {
    userInfo()
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SYSTEM_ERROR') return false
    throw error
  }
}

/** Returns `nobody`, or the first user who is not root if `nobody` does not exist. */
function somebody(): Owner {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid }) => uid > 0)
  return users.find(({ name }) => name === 'nobody') ?? users[0] ?? { uid: 65534, gid: 65534 }
}
