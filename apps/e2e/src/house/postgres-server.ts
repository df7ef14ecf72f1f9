import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { asOrdinaryUser, makeOwnFolder } from './ordinary-user.ts'

/** PostgreSQL on a port of this machine, as the image of that name makes it: an owner with a password, a database. */
export class PostgresServer {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  static async start(options: {
    /** Where `bin` is. */
    readonly binaries: string
    readonly folder: string
    readonly port: number
    readonly user: string
    readonly database: string
    readonly passwordFile: string
  }): Promise<PostgresServer> {
    const { binaries, folder, user } = options
    makeOwnFolder(folder)
    const data = join(folder, 'data')
    const run = (name: string, args: readonly string[], input = '') => {
      const [file = '', ...rest] = [...asOrdinaryUser, join(binaries, 'bin', name), ...args]
      execFileSync(file, rest, { input, stdio: ['pipe', 'ignore', 'pipe'] })
    }
    const access = ['--auth=scram-sha-256', `--pwfile=${options.passwordFile}`]
    run('initdb', [`--pgdata=${data}`, `--username=${user}`, ...access, '--no-sync', '--no-locale', '--encoding=UTF8'])
    run('postgres', ['--single', '-D', data, 'postgres'], `CREATE DATABASE ${options.database}\n`)
    const where = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-p', String(options.port)]
    const [file = '', ...args] = [...asOrdinaryUser, join(binaries, 'bin/postgres'), '-D', data, ...where]
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    if (child.stderr === null) throw new Error('it has no output')
    for await (const line of createInterface({ input: child.stderr })) {
      if (line.includes('ready to accept connections')) break
    }
    child.stderr.resume()
    return new PostgresServer(child)
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return
    this.#child.kill('SIGINT')
    await once(this.#child, 'exit')
  }
}
