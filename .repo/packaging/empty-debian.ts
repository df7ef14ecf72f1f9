import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Architecture } from './app-bundle.ts'
import { InstalledService } from './installed-service.ts'

const SUITE = 'bookworm'
const ENVIRONMENT = {
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
  DEBIAN_FRONTEND: 'noninteractive',
  HOME: '/root',
}

/**
 * A folder with a Debian that has only its essential packages. It has no systemd, so services are started with the
 * commands in their units.
 */
export class EmptyDebian {
  readonly #folder: string
  readonly #services = new Map<string, InstalledService>()

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** Downloads the packages once and then keeps them in `.cache`. */
  static create(root: string, architecture: Architecture): EmptyDebian {
    const name = architecture === 'x64' ? 'amd64' : architecture
    const archive = join(root, '.cache/debian', `${SUITE}-${name}.tar`)
    if (!existsSync(archive)) download(name, archive)
    // The folder is next to the archive, because many machines do not allow device files in temporary folders.
    const debian = new EmptyDebian(mkdtempSync(join(dirname(archive), 'running-')))
    execFileSync('tar', ['--extract', '--file', archive, '--directory', debian.#folder, '--numeric-owner'])
    execFileSync('chmod', ['755', debian.#folder])
    debian.#mount('proc', '-t', 'proc', 'proc')
    debian.#mount('dev/pts', '-t', 'devpts', '-o', 'newinstance,ptmxmode=0666,mode=0620', 'devpts')
    debian.#mount('dev/shm', '-t', 'tmpfs', 'tmpfs')
    return debian
  }

  path(file: string): string {
    return join(this.#folder, file)
  }

  /** Runs a command in this Debian and returns the output. */
  run(command: string, ...args: string[]): string {
    const { status, stdout, stderr } = this.#spawn(command, args)
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
    return stdout
  }

  succeeds(command: string, ...args: string[]): boolean {
    return this.#spawn(command, args).status === 0
  }

  #spawn(command: string, args: readonly string[]) {
    return spawnSync('/usr/sbin/chroot', [this.#folder, command, ...args], {
      encoding: 'utf8',
      env: ENVIRONMENT,
      maxBuffer: 64 << 20,
    })
  }

  startService(name: string): void {
    this.#services.set(name, InstalledService.start(name, this.#folder))
  }

  service(name: string): InstalledService {
    const service = this.#services.get(name)
    if (service === undefined) throw new Error(`the service ${name} was not started`)
    return service
  }

  async stopService(name: string): Promise<void> {
    await this.service(name).stop()
    this.#services.delete(name)
  }

  async remove(): Promise<void> {
    await InstalledService.stopAll()
    for (const place of ['dev/shm', 'dev/pts', 'proc']) execFileSync('umount', ['--lazy', this.path(place)])
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #mount(place: string, ...args: string[]): void {
    execFileSync('mount', [...args, this.path(place)])
  }
}

function download(architecture: string, archive: string): void {
  const work = mkdtempSync(join(tmpdir(), 'smsgw-debootstrap-'))
  try {
    const args = ['--variant=minbase', '--include=adduser', `--arch=${architecture}`, SUITE, join(work, 'root')]
    execFileSync('debootstrap', args, {
      stdio: 'pipe',
      env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` },
    })
    mkdirSync(dirname(archive), { recursive: true })
    execFileSync('tar', [
      '--create',
      '--file',
      `${archive}.new`,
      '--numeric-owner',
      '--directory',
      join(work, 'root'),
      '.',
    ])
    renameSync(`${archive}.new`, archive)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
