import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HouseProcess, ROOT } from '../../src/house/machine/process.ts'

/**
 * Programs from Debian packages, extracted to a folder. The programs see the folder as part of `/usr`. The machine is
 * not changed.
 */
export class DebianPrograms {
  readonly #usr: string

  /** Downloads the packages and their dependencies. Throws if the registry does not have them. */
  constructor(packages: readonly string[]) {
    const folder = join(ROOT, '.cache/debian-programs', packages.join('+'))
    this.#usr = join(folder, 'root/usr')
    if (existsSync(this.#usr)) return
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(join(folder, 'archives/partial'), { recursive: true })
    const archives = join(folder, 'archives')
    const options = [
      '-o',
      `Dir::Cache::archives=${archives}`,
      '-o',
      'Dir::Cache::pkgcache=',
      '-o',
      'Debug::NoLocking=1',
    ]
    run('apt-get', ['install', '--yes', '--no-install-recommends', '--download-only', ...options, ...packages])
    for (const file of readdirSync(archives).filter((name) => name.endsWith('.deb')))
      run('dpkg-deb', ['--extract', join(archives, file), join(folder, 'root')])
    // Does not download packages that the machine already has.
    mkdirSync(this.#usr, { recursive: true })
    // Also uses /usr/lib for libraries in /lib, which is a link to /usr/lib.
    const libraries = join(folder, 'root/lib')
    if (existsSync(libraries)) cpSync(libraries, join(this.#usr, 'lib'), { recursive: true, verbatimSymlinks: true })
    rmSync(archives, { recursive: true })
  }

  /** Returns why programs cannot be run on this machine, or undefined if they can. */
  static obstacle(): string | undefined {
    if (process.getuid?.() !== 0) return 'needs root, to place the packages over /usr for the programs'
    if (spawnSync('apt-get', ['--version']).status !== 0) return 'needs Debian packages, and apt-get is not installed'
    const { status } = spawnSync('unshare', overUsr(tmpdir(), 'true', []))
    return status === 0 ? undefined : 'the kernel refuses an overlay over /usr'
  }

  /** Starts a program that runs until it is stopped. */
  start(name: string, command: string, args: readonly string[], folder: string): HouseProcess {
    return new HouseProcess(name, 'unshare', overUsr(this.#usr, command, args), {}, { folder })
  }

  /** Runs a program to its end. */
  run(command: string, args: readonly string[]): { readonly status: number | null; readonly output: string } {
    const { status, stdout, stderr } = spawnSync('unshare', overUsr(this.#usr, command, args), {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
      timeout: 60_000,
    })
    return { status, output: stdout + stderr }
  }
}

/** The arguments of `unshare` that run a command with a folder over `/usr`. */
function overUsr(usr: string, command: string, args: readonly string[]): string[] {
  const script = 'mount -t overlay overlay -o "lowerdir=$0:/usr" /usr && exec "$@"'
  return ['--mount', 'sh', '-c', script, usr, command, ...args]
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} failed: ${stderr.trim().split('\n').at(-1)}`)
}
