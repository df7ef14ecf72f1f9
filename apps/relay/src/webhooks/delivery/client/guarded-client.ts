// Inbound path, step 15: sends the request to an allowed address.

import type { LookupAddress, LookupOptions } from 'node:dns'
import { isIP, type Socket } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { BoundedMap } from '../../../limits/bounded-map.ts'
import { type AddressRules, isAllowedAddress, urlProblem } from '../../address-rules.ts'
import { deliveryProblemText } from '../../delivery-problem.ts'
import { type ExchangeLimits, type ExchangeRequest, exchange, type ReceiverReply } from './exchange.ts'
import { ForbiddenAddress, failureReason, isCutConnection } from './failure-reason.ts'
import { hostResolver, type ResolveHost } from './resolve-host.ts'

export type RequestOutcome =
  | { readonly kind: 'replied'; readonly reply: ReceiverReply; readonly address: string | undefined }
  /** `error` is a text for the owner of the webhook. */
  | { readonly kind: 'failed'; readonly error: string; readonly address: string | undefined }
  /** The request was aborted because this relay is stopping, so the receiver did not fail. */
  | { readonly kind: 'broken-off' }

/**
 * The only client for requests to other servers. It looks up a name once per connection. All addresses of the name are
 * checked, and the connection uses one of them. A literal address is checked in any notation. Redirects are not
 * followed. Responses are not decompressed, and only their beginning is read. Proxy settings in the environment are
 * ignored, because a proxy would connect to unchecked addresses.
 */
export class GuardedClient {
  readonly #rules: AddressRules
  readonly #resolve: ResolveHost
  readonly #limits: ExchangeLimits
  readonly #connector: buildConnector.connector
  readonly #agent: Agent
  /** The address to which each origin was last connected; it is recorded with the attempt. */
  readonly #addresses = new BoundedMap<string, string>(MOST_ORIGINS)
  readonly #checkedUrls = new BoundedMap<string, CheckedUrl>(MOST_ORIGINS)
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
      // Checks certificates even if the environment disables this check.
      rejectUnauthorized: true,
      lookup: (host, options, callback) => this.#lookup(host, options, callback),
    })
    this.#agent = new Agent({
      connect: (options, callback) => this.#connect(options, callback),
      allowH2: false,
      pipelining: 1,
      // Sets no time limits here, because the exchange has its own limits.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16_384,
    })
  }

  /** @param readBytes how many bytes of the answer to read; by default enough for an excerpt */
  async post(
    address: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer,
    readBytes: number = this.#limits.excerptBytes,
  ): Promise<RequestOutcome> {
    return await this.#request(address, { method: 'POST', headers, body }, readBytes)
  }

  async get(address: string, headers: Readonly<Record<string, string>>): Promise<RequestOutcome> {
    return await this.#request(address, { method: 'GET', headers, body: null }, this.#limits.excerptBytes)
  }

  async #request(address: string, request: Omit<ExchangeRequest, 'url'>, readBytes: number): Promise<RequestOutcome> {
    const { url, problem } = this.#check(address, request.method === 'POST')
    if (problem !== undefined)
      return { kind: 'failed', error: deliveryProblemText('url_not_allowed', { problem }), address: undefined }
    const giveUpAt = performance.now() + this.#limits.totalMs
    for (;;) {
      const totalMs = Math.max(1, giveUpAt - performance.now())
      const bodyBytes = Math.max(readBytes, this.#limits.bodyBytes)
      const limits = { ...this.#limits, totalMs, excerptBytes: readBytes, bodyBytes }
      const exchanged = await exchange(this.#agent, { url, ...request }, limits, () => this.#isOpening)
      const found = this.#addresses.get(url.origin)
      if ('reply' in exchanged) return { kind: 'replied', reply: exchanged.reply, address: found }
      if (this.#isClosed) return { kind: 'broken-off' }
      const { error, isStale } = exchanged
      // The receiver may close an idle connection just when a request starts. This is not a failure, because the
      // receiver has not seen the request. Each retry removes such a connection, until a retry opens a new one.
      if (isStale && isCutConnection(error) && performance.now() < giveUpAt) continue
      return { kind: 'failed', error: failureReason(error, this.#limits), address: found }
    }
  }

  /** Aborts running requests. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#agent.destroy()
  }

  /** Checks the text of a URL. The results for GET requests are not stored, because their URLs differ each time. */
  #check(address: string, isRemembered: boolean): CheckedUrl {
    const known = this.#checkedUrls.get(address)
    if (known !== undefined) return known
    const problem = urlProblem(address, this.#rules)?.message
    const checked = problem === undefined ? { url: new URL(address) } : { problem }
    if (isRemembered) this.#checkedUrls.set(address, checked)
    return checked
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
      // During this call, the client writes the request for which this connection was opened.
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

  /** Looks up a name for a socket, which connects only to the addresses returned here. */
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

/** The result of checking the text of a URL. */
type CheckedUrl =
  | { readonly url: URL; readonly problem?: undefined }
  | { readonly url?: undefined; readonly problem: string }

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void

const USUAL_LIMITS: ExchangeLimits = {
  connectMs: 5_000,
  totalMs: 15_000,
  bodyMs: 1_000,
  excerptBytes: 2_048,
  bodyBytes: 20_480,
}
const MOST_ORIGINS = 10_000
