import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { asOrdinaryUser, giveAllToOrdinaryUser, makeOwnFolder } from './ordinary-user.ts'

/**
 * PostgreSQL on a port of this machine, configured like the `postgres` image: an owner with a password, and a database.
 */
export class PostgresServer {
  readonly #command: readonly string[]
  #child: ChildProcess
  #last: Promise<void> = Promise.resolve()

  private constructor(command: readonly string[], child: ChildProcess) {
    this.#command = command
    this.#child = child
  }

  static async start(options: {
    /** The folder that contains `bin`. */
    readonly binaries: string
    readonly folder: string
    readonly port: number
    readonly user: string
    readonly database: string
    readonly passwordFile: string
    /** The data folder of a server with this user and this database. A copy of it takes less time than `initdb`. */
    readonly prepared?: string | undefined
    /** Environment variables. */
    readonly settings?: Readonly<Record<string, string>> | undefined
  }): Promise<PostgresServer> {
    const { binaries, folder, user, passwordFile, prepared } = options
    makeOwnFolder(folder)
    const data = join(folder, 'data')
    const run = (name: string, args: readonly string[], input = '') => {
      const [file = '', ...rest] = [...asOrdinaryUser, join(binaries, 'bin', name), ...args]
      execFileSync(file, rest, { input, stdio: ['pipe', 'ignore', 'pipe'] })
    }
    const query = (sql: string) => run('postgres', ['--single', '-D', data, 'postgres'], `${sql}\n`)
    if (prepared === undefined) {
      const access = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`]
      run('initdb', [
        `--pgdata=${data}`,
        `--username=${user}`,
        ...access,
        '--no-sync',
        '--no-locale',
        '--encoding=UTF8',
      ])
      query(`CREATE DATABASE ${options.database}`)
    } else {
      execFileSync('cp', ['--archive', '--reflink=auto', prepared, data])
      const access = ['all', 'replication'].map((what) => `host ${what} all 127.0.0.1/32 scram-sha-256\n`)
      writeFileSync(join(data, 'pg_hba.conf'), access.join(''))
      giveAllToOrdinaryUser(data)
      query(`ALTER ROLE ${user} PASSWORD '${readFileSync(passwordFile, 'utf8')}'`)
    }
    return await PostgresServer.open({ ...options, data })
  }

  /** Starts a server on an existing data folder. */
  static async open(options: {
    readonly binaries: string
    readonly data: string
    readonly port: number
    readonly settings?: Readonly<Record<string, string>> | undefined
  }): Promise<PostgresServer> {
    const { binaries, data, port } = options
    const where = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-p', String(port)]
    // The variables are set only for PostgreSQL, and not for the whole command, so that files of libfaketime belong to
    // the user of PostgreSQL.
    const settings = Object.entries(options.settings ?? {}).map(([name, value]) => `${name}=${value}`)
    const command = [...asOrdinaryUser, 'env', ...settings, join(binaries, 'bin/postgres'), '-D', data, ...where]
    return new PostgresServer(command, await launch(command))
  }

  /** Kills the server like a power cut. All confirmed writes survive. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }

  /** Kills the server, and starts it again after a pause. */
  killFor(ms: number): Promise<void> {
    return this.killWhile(() => sleep(ms))
  }

  /** Kills the server, and starts it again after this work. */
  killWhile(work: () => Promise<unknown>): Promise<void> {
    return this.#inTurn(async () => {
      await this.kill()
      try {
        await work()
      } finally {
        this.#child = await launch(this.#command)
      }
    })
  }

  /** Stops all processes of the server until the returned function is called. Open connections get no answers. */
  freeze(): () => void {
    const { pid = 0 } = this.#child
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    const all = [pid, ...children.map(Number)]
    for (const one of all) process.kill(one, 'SIGSTOP')
    return () => {
      for (const one of all) process.kill(one, 'SIGCONT')
    }
  }

  restart(): Promise<void> {
    return this.#inTurn(async () => {
      await this.stop()
      this.#child = await launch(this.#command)
    })
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work)
    return this.#last
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGINT')
    await once(this.#child, 'exit')
  }
}

/** Starts the server. Tries again, because children of a killed server keep its shared memory for a moment. */
async function launch([file = '', ...args]: readonly string[]): Promise<ChildProcess> {
  for (;;) {
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    if (child.stderr === null) throw new Error('it has no output')
    let isHeld = false
    for await (const line of createInterface({ input: child.stderr })) {
      isHeld ||= /still in use|is another postmaster/.test(line)
      if (!/ready to accept (?:read-only )?connections/.test(line)) continue
      child.stderr.resume()
      return child
    }
    if (!isHeld) throw new Error('PostgreSQL did not start')
    await sleep(100)
  }
}
