import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, closeSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const pageBytes = 4_096

interface Mount {
  /** The folder through which this process can reach the files of the mounted disk. */
  readonly folder: string
  undo(): void
}

/**
 * The ways to mount a disk: directly, with sudo, or in a user namespace, which needs no rights but is forbidden in some
 * containers. The process that holds the namespace ends when its standard input is closed.
 */
const ways: readonly ((folder: string, megabytes: number) => Promise<Mount | undefined>)[] = [
  async (folder, megabytes) => mountWith([], folder, megabytes),
  async (folder, megabytes) => mountWith(['sudo', '-n'], folder, megabytes),
  async (folder, megabytes) => {
    const script = `${tmpfs(megabytes).join(' ')} "$0" && echo mounted && exec cat`
    const holder = spawn('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', script, folder], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const ended = new Promise<undefined>((resolve) => {
      holder.on('error', () => resolve(undefined)).on('exit', () => resolve(undefined))
    })
    const mounted = await Promise.race([once(holder.stdout, 'data'), ended])
    if (mounted === undefined) return undefined
    return { folder: `/proc/${holder.pid}/root${folder}`, undo: () => holder.stdin.end() }
  },
]

function tmpfs(megabytes: number): readonly string[] {
  return ['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'smsgw-small-disk']
}

function mountWith(prefix: readonly string[], folder: string, megabytes: number): Mount | undefined {
  const run = (command: readonly string[]) => spawnSync(command[0] ?? '', command.slice(1)).status === 0
  if (!run([...prefix, ...tmpfs(megabytes), folder])) return undefined
  return { folder, undo: () => void run([...prefix, 'umount', '--lazy', folder]) }
}

/** A small file system for tests with a full disk. */
export class SmallDisk {
  readonly folder: string
  readonly #mountPoint: string
  readonly #mount: Mount

  private constructor(mountPoint: string, mount: Mount) {
    this.folder = mount.folder
    this.#mountPoint = mountPoint
    this.#mount = mount
  }

  /**
   * Mounts a disk. Returns undefined if mounting is not permitted. With `CI=true` this is an error, so that no test is
   * left out.
   */
  static async mount(megabytes = 2): Promise<SmallDisk | undefined> {
    const mountPoint = mkdtempSync(join(tmpdir(), 'smsgw-small-disk-'))
    for (const way of ways) {
      const mount = await way(mountPoint, megabytes)
      if (mount !== undefined) return new SmallDisk(mountPoint, mount)
    }
    rmSync(mountPoint, { recursive: true })
    const problem =
      'a small disk cannot be mounted: run as root, allow sudo without a password, or allow user namespaces'
    if (process.env['CI'] === 'true') throw new Error(problem)
    process.stderr.write(`full disk not tested: ${problem}\n`)
    return undefined
  }

  /** Fills the disk completely, including the last page of each file in its top folder. It may already be full. */
  fill(): void {
    for (const file of readdirSync(this.folder, { withFileTypes: true }).filter((entry) => entry.isFile())) {
      const path = join(this.folder, file.name)
      untilFull(() => appendFileSync(path, '\n'.repeat(pageBytes - (statSync(path).size % pageBytes))))
    }
    const file = openSync(join(this.folder, 'filler'), 'a')
    try {
      for (const size of [65_536, pageBytes, 1]) {
        const bytes = Buffer.alloc(size)
        untilFull(() => {
          while (writeSync(file, bytes) > 0);
        })
      }
    } finally {
      closeSync(file)
    }
  }

  empty(): void {
    rmSync(join(this.folder, 'filler'), { force: true })
  }

  unmount(): void {
    this.#mount.undo()
    rmSync(this.#mountPoint, { recursive: true, force: true })
  }
}

function untilFull(write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}
