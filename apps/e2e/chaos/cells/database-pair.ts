import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { debianPostgres } from '../../ha/database-machine.ts'
import { eventually } from '../../src/house/api-client.ts'
import { freePort } from '../../src/house/machine/free-port.ts'
import { asOrdinaryUser, giveToOrdinaryUser } from '../../src/house/machine/ordinary-user.ts'
import { PostgresServer } from '../../src/house/machine/postgres-server.ts'

const LIMIT_MS = 180_000

interface Server {
  readonly data: string
  readonly port: number
  process: PostgresServer
}

/**
 * A primary and a synchronous standby. Each commit is confirmed when both have it on disk, and no commit is confirmed
 * while there is only one server. A failover kills the primary, promotes the standby, and makes the old primary the new
 * standby, as Patroni does.
 */
export class DatabasePair {
  readonly name: string
  readonly #binaries: string
  readonly #password: string
  #primary: Server
  #standby: Server
  #last: Promise<void> = Promise.resolve()

  private constructor(
    name: string,
    access: { readonly binaries: string; readonly password: string },
    servers: Server[],
  ) {
    this.name = name
    this.#binaries = access.binaries
    this.#password = access.password
    const [primary, standby] = servers as [Server, Server]
    this.#primary = primary
    this.#standby = standby
  }

  static async start(folder: string, name: string, password: string): Promise<DatabasePair> {
    const programs = debianPostgres()
    if (programs === undefined) throw new Error('needs pg_rewind from Debian: apt-get install postgresql')
    const binaries = dirname(programs)
    const passwordFile = join(folder, 'password')
    writeFileSync(passwordFile, password, { mode: 0o644 })
    const ports = [await freePort(), await freePort()]
    const access = { binaries, user: 'smsgw', database: 'smsgw', passwordFile }
    const first = await PostgresServer.start({ ...access, folder: join(folder, name), port: ports[0] ?? 0 })
    await first.stop()
    const [data, copy] = [join(folder, name, 'data'), join(folder, name, 'copy')]
    appendFileSync(join(data, 'postgresql.conf'), SETTINGS)
    execFileSync('cp', ['-a', data, copy])
    const [primary, standby] = [data, copy].map((path, at) => ({ data: path, port: ports[at] ?? 0 }))
    if (primary === undefined || standby === undefined) throw new Error('no servers')
    followServer(standby, primary.port, password)
    const open = async (server: Omit<Server, 'process'>) => ({
      ...server,
      process: await PostgresServer.open({ binaries, ...server }),
    })
    const pair = new DatabasePair(name, { binaries, password }, [await open(primary), await open(standby)])
    await pair.#untilSynchronous()
    return pair
  }

  /** The address with both servers. Relays find the one that accepts writes. */
  url(database = 'smsgw'): string {
    const ports = [this.#primary.port, this.#standby.port].toSorted((one, other) => one - other)
    return `postgresql://smsgw:${this.#password}@${ports.map((port) => `127.0.0.1:${port}`).join()}/${database}`
  }

  /** Kills the primary like a power cut, promotes the standby after this time, and lets the old primary follow. */
  failOver(detectMs: number): Promise<void> {
    return this.#inTurn(async () => {
      const [old, next] = [this.#primary, this.#standby]
      await old.process.kill()
      await sleep(detectMs)
      await this.#query(next, 'SELECT pg_promote()')
      this.#primary = next
      this.#standby = old
      // `pg_rewind` reads the new timeline from the last checkpoint.
      await this.#query(next, 'CHECKPOINT')
      await this.#rewind(old, next.port)
      old.process = await PostgresServer.open({ binaries: this.#binaries, ...old })
      await this.#untilSynchronous()
    })
  }

  /** Kills the standby, and starts it again after a pause. */
  killStandby(ms: number): Promise<void> {
    return this.#inTurn(async () => {
      await this.#standby.process.killFor(ms)
      await this.#untilSynchronous()
    })
  }

  /** Runs SQL on the primary. */
  async query(sql: string, database?: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return await this.#query(this.#primary, sql, database)
  }

  async stop(): Promise<void> {
    await this.#primary.process.stop()
    await this.#standby.process.stop()
  }

  async #rewind({ data }: Server, port: number): Promise<void> {
    const source = `host=127.0.0.1 port=${port} user=smsgw password=${this.#password} dbname=postgres`
    const rewind = [join(this.#binaries, 'bin/pg_rewind'), `--target-pgdata=${data}`, `--source-server=${source}`]
    const [file = '', ...args] = [...asOrdinaryUser, ...rewind]
    // Children of the killed server keep its shared memory for a moment.
    const run = () => {
      try {
        execFileSync(file, args, { stdio: ['ignore', 'ignore', 'pipe'] })
        return ''
      } catch (error) {
        return String((error as { stderr?: Buffer }).stderr ?? error)
      }
    }
    await eventually(run, (problem) => problem === '', 30_000)
    followServer({ data }, port, this.#password)
  }

  /** Resolves when the standby confirms the commits of the primary. */
  async #untilSynchronous(): Promise<void> {
    const sql = `SELECT count(*)::int AS count FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'`
    await eventually(
      async () => (await this.query(sql))[0]?.['count'],
      (count) => count === 1,
      LIMIT_MS,
    )
  }

  async #query({ port }: Server, sql: string, database = 'smsgw'): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({
      connectionString: `postgresql://smsgw:${this.#password}@127.0.0.1:${port}/${database}`,
    })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work)
    return this.#last
  }
}

const SETTINGS = `
synchronous_standby_names = '*'
wal_log_hints = on
wal_keep_size = 2GB
max_connections = 200
`

/** Makes a stopped server a standby of the server on the port. */
function followServer({ data }: { readonly data: string }, port: number, password: string): void {
  const origin = `host=127.0.0.1 port=${port} user=smsgw password=${password} application_name=standby`
  const [settings, signal] = ['postgresql.auto.conf', 'standby.signal'].map((name) => join(data, name)) as [
    string,
    string,
  ]
  appendFileSync(settings, `primary_conninfo = '${origin}'\n`)
  rmSync(signal, { force: true })
  writeFileSync(signal, '', { mode: 0o600 })
  giveToOrdinaryUser(signal)
}
