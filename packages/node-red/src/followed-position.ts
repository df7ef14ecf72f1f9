import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** One line of the file: an event that was reported. */
interface Line {
  /** The id of the event in the stream; absent for messages that were found in the inbox. */
  readonly event?: string
  /** The id of the received message. */
  readonly id?: string
  /** The time of the event, in milliseconds. */
  readonly at: number
}

/**
 * How long the ids of received messages are kept, so that no message is reported twice. Networks try to deliver a
 * message for a few days at most.
 */
const KEPT_MS = 14 * 86_400_000
/** The file is rewritten when it has more than 2 × messages + SPARE_LINES lines. */
const SPARE_LINES = 1_000

/**
 * The position up to which a node has followed the account. After a restart, the node continues at this position. Each
 * event adds a line to the file, which is rewritten when it has become long. Without a file, the position is lost when
 * the process ends.
 */
export class FollowedPosition {
  readonly #file: string | undefined
  readonly #handled = new Map<string, number>()
  #lines = 0
  lastEventId: string | undefined
  /** The time until which the account was followed, in milliseconds; undefined before the first start. */
  reachedAt: number | undefined

  constructor(file: string | undefined) {
    this.#file = file
    if (file === undefined || !existsSync(file)) return
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const read = lineOf(line)
      if (read !== undefined) this.#apply(read)
    }
    this.#compact()
  }

  has(id: string): boolean {
    return this.#handled.has(id)
  }

  add(line: Line): void {
    this.#apply(line)
    if (this.#file === undefined) return
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
    this.#lines += 1
    if (this.#lines > 2 * this.#handled.size + SPARE_LINES) this.#compact()
  }

  #apply({ event, id, at }: Line): void {
    if (event !== undefined) this.lastEventId = event
    if (id !== undefined) this.#handled.set(id, at)
    this.reachedAt = Math.max(this.reachedAt ?? at, at)
  }

  #compact(): void {
    if (this.#file === undefined || this.reachedAt === undefined) return
    for (const [id, at] of this.#handled) if (at < this.reachedAt - KEPT_MS) this.#handled.delete(id)
    const lines: Line[] = [...this.#handled].map(([id, at]) => ({ id, at }))
    lines.push({ ...(this.lastEventId !== undefined && { event: this.lastEventId }), at: this.reachedAt })
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    writeFileSync(`${this.#file}.new`, text, { mode: 0o600 })
    renameSync(`${this.#file}.new`, this.#file)
    this.#lines = lines.length
  }
}

/** Returns undefined for an incomplete last line, as after a power cut. */
function lineOf(text: string): Line | undefined {
  try {
    return text === '' ? undefined : (JSON.parse(text) as Line)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
