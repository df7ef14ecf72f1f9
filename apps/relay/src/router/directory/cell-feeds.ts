import type { Log } from '@smsgw/daemon/log/log'
import type { Pool } from 'pg'
import { drainFeed } from './cell-feed.ts'
import type { Cell } from './directory.ts'
import { openPool } from './open-pool.ts'

/**
 * If the feed of a cell could not be read, look-ups skip this cell for this time, so that not every look-up waits for
 * it.
 */
const PAUSE_MS = 1_000
const TIMEOUT_MS = 2_000

interface OpenFeed {
  readonly url: string
  readonly pool: Pool
  pausedUntilMs: number
  isReported: boolean
}

/** The feeds of all cells. */
export class CellFeeds {
  readonly #directory: Pool
  readonly #log: Pick<Log, 'warn' | 'info'>
  readonly #feeds = new Map<string, OpenFeed>()
  /** The account names that were reported, so that each is reported once. */
  readonly #reported = new Set<string>()

  constructor(directory: Pool, log: Pick<Log, 'warn' | 'info'>) {
    this.#directory = directory
    this.#log = log
  }

  /** Opens the feeds of new cells, and closes the feeds of removed and changed cells. */
  setCells(cells: readonly Pick<Cell, 'id' | 'databaseUrl'>[]): void {
    const urls = new Map(cells.map(({ id, databaseUrl }) => [id, databaseUrl]))
    for (const [id, feed] of this.#feeds) {
      if (urls.get(id) === feed.url) continue
      this.#feeds.delete(id)
      feed.pool.end().catch(() => undefined)
    }
    for (const [id, url] of urls) {
      if (this.#feeds.has(id)) continue
      const pool = openPool({ url, connections: 1, name: 'smsgw router', statementTimeoutMs: TIMEOUT_MS })
      this.#feeds.set(id, { url, pool, pausedUntilMs: 0, isReported: false })
    }
  }

  /**
   * Moves the new credentials of all cells to the directory. Returns false if a cell could not be read: an unknown
   * credential may then exist in that cell.
   */
  async drain(): Promise<boolean> {
    const results = await Promise.all([...this.#feeds].map(([id, feed]) => this.#drainOne(id, feed)))
    return results.every(Boolean)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#feeds.values()].map(({ pool }) => pool.end()))
    this.#feeds.clear()
  }

  async #drainOne(id: string, feed: OpenFeed): Promise<boolean> {
    if (performance.now() < feed.pausedUntilMs) return false
    try {
      for (const { accountId, username } of await drainFeed(this.#directory, { id, pool: feed.pool }))
        this.#reportRefused(id, accountId, username)
      if (feed.isReported) this.#log.info({ cell: id }, 'database of the cell available')
      feed.isReported = false
      return true
    } catch (error) {
      feed.pausedUntilMs = performance.now() + PAUSE_MS
      if (!feed.isReported)
        this.#log.warn({ err: error, cell: id }, 'could not read new credentials of the cell, retrying')
      feed.isReported = true
      return false
    }
  }

  #reportRefused(cell: string, accountId: string, username: string): void {
    if (this.#reported.has(accountId)) return
    if (this.#reported.size < MOST_REPORTED) this.#reported.add(accountId)
    this.#log.warn(
      { cell, username },
      'account not routed: another cell has an account with this name. Remove one of the two accounts',
    )
  }
}

const MOST_REPORTED = 1_000
