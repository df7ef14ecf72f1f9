import type { LookupAddress, LookupOptions } from 'node:dns'
import { isIP, type Socket } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { BoundedMap } from '../../limits/bounded-map.ts'
import { type AddressRules, isAllowedAddress, urlProblem } from '../address-rules.ts'
import { type ExchangeLimits, exchange, type Reply } from './exchange.ts'
import { ForbiddenAddress, failureWords, isCutConnection } from './failure-words.ts'
import { hostResolver, type ResolveHost } from './resolve-host.ts'

export type Outcome =
  | { readonly kind: 'replied'; readonly reply: Reply; readonly address: string | undefined }
  /** In words, for the owner of the webhook. */
  | { readonly kind: 'failed'; readonly error: string; readonly address: string | undefined }
  /** By ourselves, as we are ending: it says nothing of the receiver. */
  | { readonly kind: 'broken-off' }

/**
 * The only way in which this product calls somebody else. A name is looked up once for a connection, every address that it
 * has is judged, and the connection goes to one of those and to nothing else; a literal address is judged by itself, however
 * it is spelled. Redirects are not followed, answers not decompressed, little of them is read, and no proxy of the
 * environment is used: it would connect to what nobody has judged.
 */
export class GuardedClient {
  readonly #rules: AddressRules
  readonly #resolve: ResolveHost
  readonly #limits: ExchangeLimits
  readonly #connector: buildConnector.connector
  readonly #agent: Agent
  /** Where an origin was found last: to be shown beside the attempt. */
  readonly #addresses = new BoundedMap<string, string>(MOST_ORIGINS)
  readonly #judgements = new BoundedMap<string, Judged>(MOST_ORIGINS)
  #isOpening = false
  #isClosed = false

  constructor(
    rules: AddressRules,
    { resolve = hostResolver(), limits = {} }: { resolve?: ResolveHost; limits?: Partial<ExchangeLimits> } = {},
  ) {
    this.#rules = rules
    this.#resolve = resolve
    this.#limits = { ...USUAL_LIMITS, ...limits }
    this.#connector = buildConnector({
      allowH2: false,
      timeout: this.#limits.connectMs,
      // Also where the environment says otherwise.
      rejectUnauthorized: true,
      lookup: (host, options, callback) => this.#lookup(host, options, callback),
    })
    this.#agent = new Agent({
      connect: (options, callback) => this.#connect(options, callback),
      allowH2: false,
      pipelining: 1,
      // The exchange has limits of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16_384,
    })
  }

  async post(address: string, headers: Readonly<Record<string, string>>, body: string): Promise<Outcome> {
    const { url, problem } = this.#judged(address)
    if (url === undefined) return { kind: 'failed', error: `the URL ${problem}`, address: undefined }
    const giveUpAt = performance.now() + this.#limits.totalMs
    for (;;) {
      const totalMs = Math.max(1, giveUpAt - performance.now())
      const limits = { ...this.#limits, totalMs }
      const exchanged = await exchange(this.#agent, { url, headers, body }, limits, () => this.#isOpening)
      const found = this.#addresses.get(url.origin)
      if ('reply' in exchanged) return { kind: 'replied', reply: exchanged.reply, address: found }
      if (this.#isClosed) return { kind: 'broken-off' }
      const { error, isStale } = exchanged
      // A connection that lay idle is closed at some time, and the request may just miss that: it is no failure of the
      // receiver, which has not seen it. Each such connection is gone then, the last try has one of its own.
      if (isStale && isCutConnection(error) && performance.now() < giveUpAt) continue
      return { kind: 'failed', error: failureWords(error, this.#limits), address: found }
    }
  }

  /** What is under way is broken off. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#agent.destroy()
  }

  #judged(address: string): Judged {
    const known = this.#judgements.get(address)
    if (known !== undefined) return known
    const problem = urlProblem(address, this.#rules)
    const judged = { problem, url: problem === undefined ? new URL(address) : undefined }
    this.#judgements.set(address, judged)
    return judged
  }

  #connect(options: buildConnector.Options, callback: buildConnector.Callback): void {
    const { hostname, protocol, host } = options
    if (isIP(hostname) !== 0 && !isAllowedAddress(hostname, this.#rules)) {
      process.nextTick(callback, new ForbiddenAddress(hostname, hostname), null)
      return
    }
    this.#connector(options, (...opened) => {
      const [, socket] = opened
      if (socket) this.#remember(`${protocol}//${host}`, socket)
      // The request that the connection is for is written during this call.
      this.#isOpening = true
      try {
        callback(...opened)
      } finally {
        this.#isOpening = false
      }
    })
  }

  #remember(origin: string, { remoteAddress }: Socket): void {
    if (remoteAddress !== undefined) this.#addresses.set(origin, remoteAddress)
  }

  /** What a socket asks for; it goes nowhere but to what is answered here. */
  #lookup(host: string, { all }: LookupOptions, callback: LookupCallback): void {
    this.#resolve(host)
      .then((addresses) => {
        const forbidden = addresses.find(({ address }) => !isAllowedAddress(address, this.#rules))
        const [first] = addresses
        if (forbidden !== undefined || first === undefined) throw new ForbiddenAddress(host, forbidden?.address)
        if (all) process.nextTick(callback, null, [...addresses])
        else process.nextTick(callback, null, first.address, first.family)
      })
      .catch((error: Error) => process.nextTick(callback, error, []))
  }
}

/** Of a URL as it is written. */
interface Judged {
  readonly problem: string | undefined
  readonly url: URL | undefined
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void

const USUAL_LIMITS: ExchangeLimits = {
  connectMs: 5_000,
  totalMs: 15_000,
  bodyMs: 1_000,
  excerptBytes: 2_048,
  bodyBytes: 20_480,
}
const MOST_ORIGINS = 10_000
