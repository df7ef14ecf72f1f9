import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ComposeService } from './composition.ts'
import { freePort } from './free-port.ts'
import { layOut } from './image.ts'
import { asOrdinaryUser, makeOwnFolder } from './ordinary-user.ts'
import { HouseProcess } from './process.ts'

/**
 * Runs each service of a compose file as a process, with the files of its image and with its volumes, environment and
 * command. The process runs as a user who may write only to these volumes. Paths and names that exist only in
 * containers are replaced: `/data` with a folder of the service, and `relay:3000` with a port of this machine.
 */
export class ContainerRoom {
  readonly #folder: string
  readonly #root: string
  readonly #ports = new Map<string, number>()

  private constructor(folder: string, root: string) {
    this.#folder = folder
    this.#root = root
  }

  /** Runs the build stage of the images. */
  static open(folder: string, root: string): ContainerRoom {
    chmodSync(folder, 0o755)
    const built = join(folder, 'built')
    const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: root, stdio: 'pipe' })
    node('.repo/build.ts', '--into', built)
    for (const app of ['relay', 'agent', 'emulator', 'gateway']) {
      node('.repo/assemble.ts', join(folder, 'out', app), app, 'bridge', 'smsgw', '--built', built)
    }
    return new ContainerRoom(folder, root)
  }

  /** The folder that is used as `/out` of the build stage. */
  get out(): string {
    return join(this.#folder, 'out')
  }

  /** The free ports that replace addresses such as `relay:3000`. */
  async connect(places: readonly string[]): Promise<void> {
    for (const place of places) this.#ports.set(place, await freePort())
  }

  portOf(place: string): number {
    return this.#ports.get(place) ?? 0
  }

  volume(name: string): string {
    return join(this.#folder, 'volumes', name)
  }

  start(service: ComposeService): HouseProcess {
    const { name, command, image } = service
    this.#layOut(service)
    const [, ...words] = command.map((word) => this.#translated(name, word))
    const [program = '', ...args] = [...asOrdinaryUser, process.execPath, ...words]
    const cwd = join(this.#roomOf(name), image?.workingFolder ?? '/')
    return new HouseProcess(name, program, args, this.#environment(service), { folder: cwd })
  }

  /** Runs the health check; returns its output and exit code. */
  health(service: ComposeService): { readonly code: number | null; readonly said: string } {
    const cwd = join(this.#roomOf(service.name), service.image?.workingFolder ?? '/')
    const [program = '', ...words] = service.healthCheck.map((word) => this.#translated(service.name, word))
    const [file = '', ...args] = [...asOrdinaryUser, program === 'node' ? process.execPath : program, ...words]
    const env = { PATH: process.env['PATH'], ...this.#environment(service) }
    const { status, stdout, stderr } = spawnSync(file, args, { cwd, env, encoding: 'utf8' })
    return { code: status, said: `${stdout}${stderr}` }
  }

  /** Replaces network addresses in a file with local ports. */
  translateFile(file: string): void {
    const text = readFileSync(file, 'utf8')
    chmodSync(file, 0o640)
    writeFileSync(file, this.#withPorts(text))
  }

  #layOut({ name, image, volumes }: ComposeService): void {
    const room = this.#roomOf(name)
    if (existsSync(room)) return
    mkdirSync(room, { recursive: true })
    if (image !== undefined) layOut(image, room, { context: this.#root, built: this.out })
    for (const { source, target } of volumes) {
      makeOwnFolder(this.volume(source))
      mkdirSync(dirname(join(room, target)), { recursive: true })
      symlinkSync(this.volume(source), join(room, target))
    }
  }

  #environment({ name, environment }: ComposeService): Record<string, string> {
    const translated = Object.entries(environment).map(([key, value]) => [key, this.#translated(name, value)])
    const port =
      environment['PORT'] === undefined ? {} : { PORT: String(this.portOf(`${name}:${environment['PORT']}`)) }
    return { ...Object.fromEntries(translated), HOME: '/nonexistent', ...port }
  }

  #translated(name: string, text: string): string {
    const room = this.#roomOf(name)
    return this.#withPorts(
      text.replace(/^(?:0\.0\.0\.0|127\.0\.0\.1)(?=:)/, name).replace('//127.0.0.1:', `//${name}:`),
    ).replace(/^\/(?=data|secrets)/, `${room}/`)
  }

  #withPorts(text: string): string {
    return [...this.#ports].reduce((known, [place, port]) => known.replaceAll(place, `127.0.0.1:${port}`), text)
  }

  #roomOf(name: string): string {
    return join(this.#folder, 'rooms', name)
  }
}
