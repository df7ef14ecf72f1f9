import type { IncomingMessage } from 'node:http'
import type { RelayPool } from './relay-pool.ts'

const PATH = '/.well-known/jwks.json'
const FRESH_MS = 60_000
const LIMIT_MS = 3_000
const MOST_BYTES = 256 * 1024

interface Key {
  readonly kid?: unknown
}

/**
 * The public keys of all cells, because each cell signs its tokens with keys of its own. The last keys of a cell are
 * used while the cell is unavailable.
 */
export class MergedKeys {
  readonly #pool: RelayPool
  readonly #keys = new Map<string, readonly Key[]>()
  #readMs = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(pool: RelayPool) {
    this.#pool = pool
  }

  /** Returns the key set. Undefined if the keys of a cell were never read. */
  async read(): Promise<{ readonly keys: readonly Key[] } | undefined> {
    const { cells } = this.#pool
    if (performance.now() - this.#readMs > FRESH_MS || cells.some((cell) => !this.#keys.has(cell))) {
      this.#reading ??= this.#readAll(cells).finally(() => {
        this.#reading = undefined
      })
      await this.#reading
    }
    if (cells.some((cell) => !this.#keys.has(cell))) return undefined
    const byId = new Map(cells.flatMap((cell) => this.#keys.get(cell) ?? []).map((key) => [key.kid, key]))
    return { keys: [...byId.values()] }
  }

  async #readAll(cells: readonly string[]): Promise<void> {
    this.#readMs = performance.now()
    await Promise.all(
      cells.map(async (cell) => {
        for (const target of this.#pool.targets(cell)) {
          const keys = await this.#readKeys(target)
          if (keys === undefined) continue
          this.#keys.set(cell, keys)
          return
        }
      }),
    )
  }

  #readKeys(target: ReturnType<RelayPool['targets']>[number]): Promise<readonly Key[] | undefined> {
    return new Promise((resolve) => {
      const sent = this.#pool.request(target, { method: 'GET', path: PATH, headers: ['Host', target.url.host] })
      const timer = setTimeout(() => sent.destroy(new Error('timeout')), LIMIT_MS)
      const end = (keys: readonly Key[] | undefined) => {
        clearTimeout(timer)
        resolve(keys)
      }
      sent.on('error', () => end(undefined))
      sent.on('response', (answer: IncomingMessage) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
          if (text.length > MOST_BYTES) sent.destroy(new Error('the key set is too large'))
        })
        answer.once('error', () => end(undefined))
        answer.once('end', () => end(answer.statusCode === 200 ? keysIn(text) : undefined))
      })
      sent.end()
    })
  }
}

function keysIn(text: string): readonly Key[] | undefined {
  try {
    const { keys } = JSON.parse(text) as { keys?: unknown }
    return Array.isArray(keys) ? keys : undefined
  } catch {
    return undefined // the relay did not send a key set
  }
}
