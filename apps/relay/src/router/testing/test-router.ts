import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { openLog } from '@smsgw/daemon/log/log'
import { systemRandom } from '../../random.ts'
import { secretBox } from '../../store/secret-box.ts'
import type { Claim } from '../claims/claim.ts'
import type { Placement } from '../directory/directory.ts'
import { type DirectoryAccess, Placements } from '../directory/placements.ts'
import { clientFacts } from '../proxy/forwarded-headers.ts'
import { RelayPool } from '../proxy/relay-pool.ts'
import { serveRouter } from '../serve-router.ts'

/** A directory in memory, with the accounts `alice` and `bob` in the cells `one` and `two`. */
export class TestDirectory implements DirectoryAccess {
  change = 1
  isAvailable = true
  /** False as long as a cell cannot be read. */
  isComplete = true
  readonly seen: number[] = []
  /** The number of queries. */
  finds = 0
  drains = 0
  readonly accounts = new Map<string, Placement & { readonly changed: number }>()
  readonly #relays: Readonly<Record<string, readonly string[]>>

  constructor(relays: Readonly<Record<string, readonly string[]>>) {
    this.#relays = relays
    this.place('alice', 'one')
    this.place('bob', 'two')
  }

  place(accountId: string, cell: string, isMoving = false): void {
    this.change += 1
    this.accounts.set(accountId, { accountId, cell, isMoving, changed: this.change })
  }

  async find(claims: readonly Claim[]) {
    this.#check()
    this.finds += 1
    const found = claims.map((claim) => [claim, this.accounts.get(claim.name)] as const)
    const placements = new Map(found.flatMap(([claim, account]) => (account === undefined ? [] : [[claim, account]])))
    return { change: this.change, placements }
  }

  async drainFeeds() {
    this.#check()
    this.drains += 1
    return this.isComplete
  }

  async readChange() {
    this.#check()
    return this.change
  }

  async readChanged(after: number) {
    this.#check()
    return [...this.accounts.values()].filter(({ changed }) => changed > after)
  }

  async readMoving() {
    return [...this.accounts.values()].filter(({ isMoving }) => isMoving)
  }

  async readCells() {
    return Object.entries(this.#relays).map(([id, relays]) => ({ id, relays, databaseUrl: '', isOpen: true }))
  }

  async recordSeen(seen: number) {
    this.#check()
    this.seen.push(seen)
  }

  #check(): void {
    if (!this.isAvailable) throw Object.assign(new Error('the directory is unavailable'), { code: 'ECONNREFUSED' })
  }
}

export type TestRouter = Awaited<ReturnType<typeof testRouter>>

/** Starts a router with a directory in memory. Any server can be one of its relays. */
export async function testRouter(relays: Readonly<Record<string, readonly string[]>>, trustedProxies: string[] = []) {
  const directory = new TestDirectory(relays)
  const log = openLog('fatal', { write: () => undefined })
  const pool = new RelayPool(log)
  const nowMs = () => performance.now()
  const placements = new Placements({ directory, log, nowMs, onCells: (cells) => pool.setCells(cells) })
  await placements.start()
  const box = secretBox('a secret of a test with enough characters', systemRandom)
  const config = { PORT: 0, HOST: '127.0.0.1', TLS_CERT: undefined, TLS_KEY: undefined }
  const parts = { placements, pool, box, routerId: 'router', log, random: systemRandom }
  const served = await serveRouter(config, { ...parts, clientOf: clientFacts(trustedProxies) })
  const port = Number(new URL(served.url).port)
  const sockets = new Set<Socket>()
  return {
    ...{ directory, pool, placements, box, port, url: served.url },
    /** Opens a connection and sends bytes as they are. */
    connect(text: string): RawClient {
      const client = rawClient(port, text)
      sockets.add(client.socket)
      return client
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      pool.close()
      await placements.close()
      await served.close()
    },
  }
}

export interface RawClient {
  readonly socket: Socket
  /** Everything that the server has sent. */
  readonly received: () => string
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>
  /** Resolves when the received text matches. */
  until(pattern: RegExp): Promise<string>
}

function rawClient(port: number, text: string): RawClient {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let received = ''
  const watchers = new Set<() => void>()
  const notify = () => {
    for (const watcher of [...watchers]) watcher()
  }
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    notify()
  })
  const ended = new Promise<void>((resolve) => {
    socket.once('end', resolve)
    socket.once('close', () => resolve())
  })
  socket.on('error', () => undefined)
  void ended.then(notify)
  socket.write(text)
  return {
    ...{ socket, ended, received: () => received },
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(received)) resolve(received)
          else if (socket.readableEnded || socket.destroyed)
            reject(new Error(`the connection ended after: ${JSON.stringify(received)}`))
          else return
          watchers.delete(look)
        }
        watchers.add(look)
        look()
      }),
  }
}

export interface TestUpstream {
  readonly url: string
  readonly server: Server
  close(): Promise<void>
}

/** Starts a relay that answers as the function does. Its health check always passes. */
export async function testUpstream(answer: Parameters<typeof createServer>[1]): Promise<TestUpstream> {
  const server = createServer((request, response) => {
    if (request.url === '/health/ready') response.end('{}')
    else answer?.(request, response as never)
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket.once('close', () => sockets.delete(socket))))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
