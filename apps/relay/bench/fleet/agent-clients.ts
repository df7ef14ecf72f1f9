import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { BenchDatabase } from '../bench-database.ts'
import type { BenchRelays } from '../bench-relays.ts'
import type { ClientOrder, ClientReport } from './agent-client.ts'

/** The number of agents in one process. Most systems allow a process to open more files than this. */
const AGENTS_EACH = 5_000
const SMALL_FLAGS = ['--max-semi-space-size=8']

/** A fleet of agents in several processes. See `agent-client.ts`. */
export class AgentClients {
  readonly #clients: readonly ChildProcess[]
  readonly #waiting = new Map<string, (atNs: bigint) => void>()
  /** Arrivals that came before somebody waited for them. */
  readonly #arrived = new Map<string, bigint>()
  readonly #count: number

  private constructor(clients: readonly ChildProcess[], count: number) {
    this.#clients = clients
    this.#count = count
    for (const client of clients) client.on('message', (report: ClientReport) => this.#onReport(report))
  }

  /** Starts the processes, and stores the agents as if they were already paired. */
  static async create(count: number, { pool }: BenchDatabase, { accountId }: BenchRelays): Promise<AgentClients> {
    const file = join(import.meta.dirname, 'agent-client.ts')
    const children = Array.from({ length: Math.ceil(count / AGENTS_EACH) }, () =>
      fork(file, { execArgv: SMALL_FLAGS, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
    )
    const clients = new AgentClients(children, count)
    const created = await clients.#orderEach('created', (index) => {
      return { kind: 'create', ...clients.#share(index, count), localAddress: localAddress(index) }
    })
    for (const { devices } of created)
      await pool.query(
        `INSERT INTO devices (id, account_id, name, public_key)
         SELECT id, $1, id, public_key FROM unnest($2::text[], $3::text[]) AS d (id, public_key)`,
        [accountId, devices.map(({ id }) => id), devices.map(({ publicKey }) => publicKey)],
      )
    return clients
  }

  /** Connects the agents to the relays, `atOnce` at the same time. */
  async connect(urls: readonly string[], atOnce: number): Promise<void> {
    const each = Math.ceil(atOnce / this.#clients.length)
    await this.#orderEach('connected', () => ({ kind: 'connect', urls, atOnce: each }))
  }

  /** Opens this number of bare WebSockets. */
  async connectBare(url: string, count: number): Promise<void> {
    await this.#orderEach('connected-bare', (index) => {
      return { kind: 'connect-bare', url, count: this.#share(index, count).count, localAddress: localAddress(index) }
    })
  }

  /** Resolves with the time at which the message or probe reached its agent, on the clock of `process.hrtime`. */
  arrival(id: string): Promise<bigint> {
    const atNs = this.#arrived.get(id)
    if (atNs === undefined) return new Promise((resolve) => this.#waiting.set(id, resolve))
    this.#arrived.delete(id)
    return Promise.resolve(atNs)
  }

  async stop(): Promise<void> {
    await this.#orderEach('disconnected', () => ({ kind: 'disconnect' }))
    for (const client of this.#clients) {
      const ended = once(client, 'exit')
      client.disconnect()
      await ended
    }
  }

  #onReport(report: ClientReport): void {
    if (report.kind !== 'arrived') return
    const resolve = this.#waiting.get(report.id)
    this.#waiting.delete(report.id)
    if (resolve) resolve(BigInt(report.atNs))
    else this.#arrived.set(report.id, BigInt(report.atNs))
  }

  /** The part of the total that the process with this index has. */
  #share(index: number, total: number): { readonly from: number; readonly count: number } {
    const at = (end: number) => Math.floor((total * end) / this.#clients.length)
    return { from: at(index), count: at(index + 1) - at(index) }
  }

  /** Gives an order to each process and waits for the reports about it. */
  async #orderEach<Kind extends ClientReport['kind']>(
    kind: Kind,
    orderOf: (index: number) => ClientOrder,
  ): Promise<Extract<ClientReport, { kind: Kind }>[]> {
    return await Promise.all(
      this.#clients.map(
        (client, index) =>
          new Promise<Extract<ClientReport, { kind: Kind }>>((resolve, reject) => {
            const end = (code: number | null) => reject(new Error(`a process with agents ended with code ${code}`))
            const take = (report: ClientReport) => {
              if (report.kind !== kind) return
              client.off('message', take).off('exit', end)
              resolve(report as Extract<ClientReport, { kind: Kind }>)
            }
            client.on('message', take).once('exit', end)
            client.send(orderOf(index))
          }),
      ),
    )
  }

  get count(): number {
    return this.#count
  }
}

function localAddress(index: number): string {
  return `127.0.0.${2 + index}`
}
