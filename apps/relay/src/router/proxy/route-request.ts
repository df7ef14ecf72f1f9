import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiError } from '../../http/errors/api-error.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import { findBodyClaims, findClaims } from '../claims/find-claims.ts'
import type { Placements } from '../directory/placements.ts'
import type { ClientFacts } from './forwarded-headers.ts'
import { ACCOUNT_MOVING, CELL_UNAVAILABLE, DIRECTORY_UNAVAILABLE, unavailable } from './problem-answer.ts'
import { type ProxiedRequest, proxyRequest } from './proxy-request.ts'
import type { RelayPool } from './relay-pool.ts'

/** How long a request waits for the end of a move. */
const HOLD_MS = 10_000
/** The largest number of requests that wait. Others are answered at once. */
const MOST_HELD = 2_000
/** How long a request in progress may continue when its account begins to move. */
const FINISH_MS = 3_000
/** The number of attempts to find the cell of an account that moves again and again. */
const MOST_TRIES = 5

export interface CellRouteDeps {
  readonly placements: Placements
  readonly pool: RelayPool
  readonly box: Pick<SecretBox, 'fingerprint'>
}

/** Sends requests to the cells of their accounts. */
export class RequestRouter {
  readonly #deps: CellRouteDeps
  #held = 0

  constructor(deps: CellRouteDeps) {
    this.#deps = deps
  }

  /**
   * Resolves with undefined when the request was answered. Otherwise, resolves with a problem, which the caller has to
   * send to the client.
   */
  async route(request: IncomingMessage, response: ServerResponse, client: ClientFacts): Promise<ApiError | undefined> {
    const { pool, placements } = this.#deps
    const { accountId, isCertain, start } = await this.#accountOf(request, response, client)
    // Asks no relay, because it would answer 401, and the client might discard credentials that are valid.
    if (!isCertain) return directoryProblem()
    const base = { request, response, client, start }
    if (accountId === undefined) return await this.#toAnyCell(base)
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const cell = await placements.cellOf(accountId)
      if (cell === undefined) {
        if (!placements.isMoving(accountId)) return await this.#toAnyCell(base)
        if (!(await this.#hold(accountId))) return unavailable(ACCOUNT_MOVING)
        if (response.destroyed) return undefined
        continue
      }
      const result = await proxyRequest(pool, cell, { ...base, ...this.#work(accountId, cell) })
      if (result === 'answered') return undefined
      if (result !== 'moved') return result
    }
    return unavailable(ACCOUNT_MOVING)
  }

  /** Returns the functions that register the request at the account and end it when the account begins to move. */
  #work(accountId: string, cell: string): Pick<ProxiedRequest, 'enter' | 'onAbortable'> {
    let abort: () => void = () => undefined
    let timer: NodeJS.Timeout | undefined
    let isStream = false
    const end = () => {
      if (isStream) abort()
      else timer ??= setTimeout(() => abort(), FINISH_MS)
    }
    return {
      onAbortable(given, isGivenStream) {
        abort = given
        isStream = isGivenStream
        if (isStream && timer !== undefined) abort()
      },
      enter: () => {
        const leave = this.#deps.placements.enter(accountId, cell, { end })
        if (leave === undefined) return undefined
        return () => {
          clearTimeout(timer)
          leave()
        }
      },
    }
  }

  async #accountOf(
    request: IncomingMessage,
    response: ServerResponse,
    { isSecure }: ClientFacts,
  ): Promise<{ readonly accountId: string | undefined; readonly isCertain: boolean; readonly start?: Buffer }> {
    const { method = '', url = '', headers } = request
    const { box, placements } = this.#deps
    const claims = findClaims({ method, url, headers, isSecure }, box)
    if (claims !== undefined) return { isCertain: true, ...(await placements.accountOf(claims)) }
    if (headers.expect !== undefined) response.writeContinue()
    const start = await readStart(request)
    return { isCertain: true, ...(await placements.accountOf(findBodyClaims(start.toString()))), start }
  }

  /**
   * Sends a request without a known account to a relay, which answers it as if there were only one cell. All requests
   * of an address go to the same cell, so that the limits for wrong credentials apply.
   */
  async #toAnyCell(base: Omit<ProxiedRequest, 'enter' | 'onAbortable'>): Promise<ApiError | undefined> {
    const { pool } = this.#deps
    const cell = cellOfAddress(pool, base.client.address)
    if (cell === undefined) return unavailable(CELL_UNAVAILABLE)
    const result = await proxyRequest(pool, cell, {
      ...base,
      enter: () => () => undefined,
      onAbortable: () => undefined,
    })
    return typeof result === 'string' ? undefined : result
  }

  /** Waits until the account has moved. Returns false if this takes too long, or if too many requests wait. */
  async #hold(accountId: string): Promise<boolean> {
    if (this.#held >= MOST_HELD) return false
    this.#held += 1
    try {
      await this.#deps.placements.untilMoved(accountId, HOLD_MS)
      return !this.#deps.placements.isMoving(accountId)
    } finally {
      this.#held -= 1
    }
  }
}

/** Returns the problem for an error of the directory. */
export function directoryProblem(): ApiError {
  return unavailable(DIRECTORY_UNAVAILABLE)
}

/** Returns a cell for an address without an account: always the same, as long as that cell has healthy relays. */
export function cellOfAddress(pool: RelayPool, address: string): string | undefined {
  const { cells } = pool
  let hash = 0
  for (const character of address) hash = (hash * 31 + character.charCodeAt(0)) >>> 0
  const from = cells.length === 0 ? 0 : hash % cells.length
  const inOrder = [...cells.slice(from), ...cells.slice(0, from)]
  return inOrder.find((cell) => pool.hasHealthy(cell)) ?? inOrder[0]
}

/**
 * The largest part of a body that is read to find credentials. The relay refuses a larger body before it reads
 * credentials.
 */
const LIMIT_BYTES = 16 * 1024
const LIMIT_MS = 10_000

/** Reads the start of a body: the whole body if it is small. The rest can still be read from the request. */
function readStart(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const end = (error?: Error) => {
      clearTimeout(timer)
      request.pause()
      request.off('data', onData).off('end', onEnd).off('error', end).off('close', onClose)
      if (error === undefined) resolve(Buffer.concat(chunks))
      else reject(error)
    }
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= LIMIT_BYTES) end()
    }
    const onEnd = () => end()
    const onClose = () => end(new Error('the client disconnected'))
    // The relay then waits for the rest of the body, and refuses the request if the rest does not arrive.
    const timer = setTimeout(() => end(), LIMIT_MS)
    request.on('data', onData).once('end', onEnd).once('error', end).once('close', onClose)
  })
}
