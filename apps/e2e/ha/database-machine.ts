import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { asOrdinaryUser, makeOwnFolder } from '../src/house/machine/ordinary-user.ts'
import { ROOT } from '../src/house/machine/process.ts'
import type { Certificates } from './certificates.ts'
import { BRIDGE, ip } from './network.ts'

const run = promisify(execFile)
const files = join(ROOT, 'deploy/ha')

/**
 * A database machine with the configuration of `deploy/ha`: a network namespace with etcd, Patroni and PostgreSQL.
 * Patroni is restarted as systemd does with `patroni-service.conf`.
 */
export class DatabaseMachine {
  readonly name: string
  readonly address: string
  readonly #namespace: string
  readonly #cable: string
  readonly #folder: string
  readonly #secrets: Readonly<Record<string, string>>
  readonly #running = new Map<'etcd' | 'patroni', ChildProcess>()
  #isPoweredOn = false

  /** `at`: 1 to 3. The addresses are those of the example files. */
  constructor(at: number, folder: string, certificates: Certificates, secrets: Readonly<Record<string, string>>) {
    this.name = `db${at}`
    this.address = `198.51.100.1${at}`
    this.#namespace = `smsgw-${this.name}`
    this.#cable = `smsgw-cable${at}`
    this.#folder = join(folder, this.name)
    this.#secrets = secrets
    makeOwnFolder(this.#folder)
    certificates.create(this.#folder, this.name, this.address)
    ip('netns', 'add', this.#namespace)
    ip('link', 'add', this.#cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', this.#namespace)
    ip('link', 'set', this.#cable, 'master', BRIDGE, 'up')
    ip('-n', this.#namespace, 'addr', 'add', `${this.address}/24`, 'dev', 'eth0')
    ip('-n', this.#namespace, 'link', 'set', 'eth0', 'up')
    ip('-n', this.#namespace, 'link', 'set', 'lo', 'up')
  }

  powerOn(): void {
    this.reconnect()
    this.#isPoweredOn = true
    this.#run('etcd', ['etcd'], this.#environment('etcd.env'))
    this.#startPatroni()
  }

  /** Kills everything on the machine, and its network with it. */
  powerOff(): void {
    this.#isPoweredOn = false
    this.cutOff()
    this.#killAll()
  }

  killPostgres(): void {
    process.kill(this.#postmaster(), 'SIGKILL')
  }

  killPatroni(): void {
    this.#running.get('patroni')?.kill('SIGKILL')
  }

  /**
   * Kills Patroni and prevents its restart. PostgreSQL is left running, as on a machine without `patroni-service.conf`.
   */
  abandonPostgres(): void {
    this.#isPoweredOn = false
    this.killPatroni()
  }

  /** Ends PostgreSQL and starts Patroni with an empty data folder, like `patronictl reinit`. */
  reinitialise(): void {
    this.#isPoweredOn = true
    for (const pid of this.#postgresProcesses()) killIfRunning(pid)
    rmSync(this.#data, { recursive: true, force: true })
    this.#startPatroni()
  }

  /** Drops all packets from and to the machine. */
  cutOff(): void {
    ip('link', 'set', this.#cable, 'down')
  }

  reconnect(): void {
    ip('link', 'set', this.#cable, 'up')
  }

  /** Stops all processes of PostgreSQL without ending them, like a disk that no longer responds. */
  freezePostgres(): void {
    for (const pid of this.#postgresProcesses()) process.kill(pid, 'SIGSTOP')
  }

  thawPostgres(): void {
    for (const pid of this.#postgresProcesses()) process.kill(pid, 'SIGCONT')
  }

  /** Runs SQL as superuser of this machine's PostgreSQL. Fails after some seconds without an answer. */
  async query(sql: string): Promise<string> {
    const environment = { PATH: process.env['PATH'], PGPASSWORD: this.#secrets['PATRONI_SUPERUSER_PASSWORD'] }
    const args = ['-h', this.#folder, '-U', 'postgres', '--no-psqlrc', '-Atc', sql]
    const { stdout } = await run('psql', args, { env: environment, timeout: 5_000, killSignal: 'SIGKILL' })
    return stdout.trim()
  }

  /** The last lines of the logs, for a failed run. */
  lastLines(): string {
    return ['etcd', 'patroni']
      .map((name) => `${this.name} ${name}:\n${readFileSync(join(this.#folder, `${name}.log`), 'utf8').slice(-3_000)}`)
      .join('\n')
  }

  remove(): void {
    this.#isPoweredOn = false
    this.#killAll()
    ip('netns', 'delete', this.#namespace)
  }

  #startPatroni(): void {
    const environment = { ...this.#environment('patroni.env'), ...this.#secrets }
    const patroni = this.#run('patroni', ['patroni', this.#config()], environment)
    patroni.once('exit', () => {
      if (!this.#isPoweredOn) return
      // `KillMode=mixed` and `RestartSec=1`.
      for (const pid of this.#postgresProcesses()) killIfRunning(pid)
      setTimeout(() => this.#isPoweredOn && this.#startPatroni(), 1_000)
    })
  }

  #run(
    name: 'etcd' | 'patroni',
    command: readonly string[],
    environment: Readonly<Record<string, string>>,
  ): ChildProcess {
    const log = openSync(join(this.#folder, `${name}.log`), 'a')
    const child = spawn('ip', ['netns', 'exec', this.#namespace, ...asOrdinaryUser, ...command], {
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', HOME: this.#folder, ...environment },
      stdio: ['ignore', log, log],
    })
    this.#running.set(name, child)
    return child
  }

  /** `patroni.yml` with the folders of this machine. Passwords replace `peer`, because the user is not `postgres`. */
  #config(): string {
    const text = readFileSync(join(files, 'patroni.yml'), 'utf8')
      .replaceAll('/etc/smsgw-ha', this.#folder)
      .replace('/var/run/postgresql', this.#folder)
      .replace('local all postgres peer', 'local all postgres scram-sha-256')
    const file = join(this.#folder, 'patroni.yml')
    writeFileSync(file, text)
    return file
  }

  /** The variables of an example file, with the name, address and folders of this machine. */
  #environment(file: string): Record<string, string> {
    const lines = readFileSync(join(files, file), 'utf8')
      .replaceAll('/etc/smsgw-ha', this.#folder)
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const)
    const own = lines.map(([name, value]) => {
      const isShared = name === 'ETCD_INITIAL_CLUSTER'
      return [name, isShared ? value : value.replace('198.51.100.11', this.address).replace(/^db1$/, this.name)]
    })
    return {
      ...Object.fromEntries(own),
      ...(file === 'etcd.env'
        ? { ETCD_DATA_DIR: join(this.#folder, 'etcd') }
        : { PATRONI_POSTGRESQL_DATA_DIR: this.#data, PATRONI_POSTGRESQL_BIN_DIR: debianPostgres() ?? '' }),
    }
  }

  get #data(): string {
    return join(this.#folder, 'postgres')
  }

  #postmaster(): number {
    return Number(readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n')[0])
  }

  #processes(): readonly number[] {
    return execFileSync('ip', ['netns', 'pids', this.#namespace], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean)
      .map(Number)
  }

  #postgresProcesses(): readonly number[] {
    return this.#processes().filter((pid) => nameOf(pid) === 'postgres')
  }

  #killAll(): void {
    for (const pid of this.#processes()) killIfRunning(pid)
  }
}

/** The folder with the programs of the newest PostgreSQL from Debian, or undefined. */
export function debianPostgres(): string | undefined {
  const folder = '/usr/lib/postgresql'
  const newest = existsSync(folder)
    ? readdirSync(folder).toSorted((one, other) => Number(other) - Number(one))[0]
    : undefined
  return newest === undefined ? undefined : join(folder, newest, 'bin')
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function nameOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return undefined // the process has ended
  }
}
