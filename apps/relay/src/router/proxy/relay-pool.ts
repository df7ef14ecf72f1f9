import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'
import type { Log } from '@smsgw/daemon/log/log'
import type { Cell } from '../directory/directory.ts'

/** How often each relay is checked. */
const CHECK_MS = 2_000
const CHECK_TIMEOUT_MS = 2_000
/** A relay counts as unavailable after this number of failed checks, or after one refused connection. */
const MOST_FAILURES = 2
/**
 * Shorter than the time after which a relay closes an idle connection, so that no request meets a closing connection.
 */
const IDLE_MS = 30_000

/** A relay of a cell. */
export interface RelayTarget {
  readonly cell: string
  readonly url: URL
  /** True if the relay accepts requests, as far as the router knows. */
  readonly isHealthy: boolean
  /** Requests and connections of agents in progress. */
  inFlight: number
}

interface Target extends RelayTarget {
  isHealthy: boolean
  failures: number
  isChecking: boolean
}

/** The relays of all cells, and which of them accept requests. */
export class RelayPool {
  readonly #log: Pick<Log, 'info' | 'warn'>
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 256, timeout: IDLE_MS, scheduling: 'lifo' })
  readonly #tlsAgent = new TlsAgent({ keepAlive: true, maxFreeSockets: 256, timeout: IDLE_MS, scheduling: 'lifo' })
  readonly #checking: NodeJS.Timeout
  #cells = new Map<string, readonly Target[]>()

  constructor(log: Pick<Log, 'info' | 'warn'>) {
    this.#log = log
    this.#checking = setInterval(() => void this.check(), CHECK_MS)
  }

  setCells(cells: readonly Pick<Cell, 'id' | 'relays'>[]): void {
    const before = [...this.#cells.values()].flat()
    this.#cells = new Map(
      cells.map(({ id, relays }) => [
        id,
        relays.map(
          (url) =>
            before.find((target) => target.cell === id && target.url.href === new URL(url).href) ?? {
              ...{ cell: id, url: new URL(url), inFlight: 0 },
              // Requests are sent until a check fails, so that a router is ready as soon as it starts.
              ...{ isHealthy: true, failures: 0, isChecking: false },
            },
        ),
      ]),
    )
    void this.check()
  }

  get cells(): readonly string[] {
    return [...this.#cells.keys()]
  }

  /** Returns the relays of a cell, those with the fewest requests first. Relays that are not healthy come last. */
  targets(cell: string): readonly RelayTarget[] {
    const all = this.#cells.get(cell) ?? []
    const start = Math.floor(Math.random() * all.length)
    const mixed = [...all.slice(start), ...all.slice(0, start)]
    return mixed.sort((a, b) => Number(b.isHealthy) - Number(a.isHealthy) || a.inFlight - b.inFlight)
  }

  hasHealthy(cell: string): boolean {
    return (this.#cells.get(cell) ?? []).some(({ isHealthy }) => isHealthy)
  }

  /** Opens a request to a relay. The caller must listen to its errors. */
  request(
    target: RelayTarget,
    options: { readonly method: string; readonly path: string; readonly headers: string[] },
  ): ClientRequest {
    const { url } = target
    const shared = {
      ...{ host: hostOf(url), port: url.port || (url.protocol === 'https:' ? 443 : 80) },
      ...{ method: options.method, path: options.path, headers: options.headers },
      // The header lines contain the Host header of the client.
      setHost: false,
    }
    return url.protocol === 'https:'
      ? httpsRequest({ ...shared, agent: this.#tlsAgent, servername: hostOf(url) })
      : httpRequest({ ...shared, agent: this.#agent })
  }

  /** Notes that a connection to the relay was refused. */
  reportRefused(target: RelayTarget): void {
    const known = this.#cells.get(target.cell)?.find((one) => one === target)
    if (known !== undefined) this.#note(known, false, MOST_FAILURES)
  }

  /** Checks all relays now. */
  async check(): Promise<void> {
    await Promise.all([...this.#cells.values()].flat().map((target) => this.#check(target)))
  }

  close(): void {
    clearInterval(this.#checking)
    this.#agent.destroy()
    this.#tlsAgent.destroy()
    this.#cells.clear()
  }

  async #check(target: Target): Promise<void> {
    if (target.isChecking) return
    target.isChecking = true
    const isReady = await this.#isReady(target)
    target.isChecking = false
    this.#note(target, isReady, 1)
  }

  #isReady(target: Target): Promise<boolean> {
    return new Promise((resolve) => {
      const headers = ['Host', target.url.host, 'X-Forwarded-For', '127.0.0.1']
      const check = this.request(target, { method: 'GET', path: `${basePath(target.url)}/health/ready`, headers })
      const timer = setTimeout(() => check.destroy(new Error('timeout')), CHECK_TIMEOUT_MS)
      check.on('response', (answer: IncomingMessage) => {
        answer.resume()
        answer.once('close', () => clearTimeout(timer))
        resolve(answer.statusCode === 200)
      })
      check.on('error', () => {
        clearTimeout(timer)
        resolve(false)
      })
      check.end()
    })
  }

  #note(target: Target, isReady: boolean, failures: number): void {
    target.failures = isReady ? 0 : target.failures + failures
    const isHealthy = target.failures < MOST_FAILURES
    if (isHealthy === target.isHealthy) return
    target.isHealthy = isHealthy
    const details = { cell: target.cell, relay: target.url.href }
    if (isHealthy) this.#log.info(details, 'relay available')
    else this.#log.warn(details, 'relay unavailable, using the other relays of its cell')
  }
}

/** The path of a relay that is not at the root of its server, without a slash at the end. */
export function basePath(url: URL): string {
  return url.pathname.replace(/\/$/, '')
}

/** The host without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
