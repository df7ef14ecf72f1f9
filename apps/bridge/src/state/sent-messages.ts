import type { DatabaseSync } from 'node:sqlite'

/** A message that a channel has sent and whose final state is not yet known. */
export interface SentMessage {
  readonly id: string
  /** The data that the channel needs to report the state, as JSON. */
  readonly detail: string
  /** The last reported state. */
  readonly state: string
}

/** How long a message without a final state is followed. Some networks never send a delivery report. */
const KEPT_MS = 10 * 86_400_000
/** Old messages are removed at most once per interval, because all messages must be read for this. */
const REMOVE_EVERY_MS = 60_000

export class SentMessages {
  readonly #database: DatabaseSync
  readonly #channel: string
  #removedAt = 0

  constructor(database: DatabaseSync, channel: string) {
    this.#database = database
    this.#channel = channel
  }

  add(id: string, detail: string, now: number): void {
    this.#database
      .prepare('INSERT INTO sent_messages VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
      .run(this.#channel, id, detail, 'Pending', now)
    if (now - this.#removedAt < REMOVE_EVERY_MS) return
    this.#removedAt = now
    this.#database.prepare('DELETE FROM sent_messages WHERE channel = ? AND at < ?').run(this.#channel, now - KEPT_MS)
  }

  find(id: string): SentMessage | undefined {
    const row = this.#database
      .prepare('SELECT id, detail, state FROM sent_messages WHERE channel = ? AND id = ?')
      .get(this.#channel, id)
    return row === undefined ? undefined : sentMessageOf(row)
  }

  list(): SentMessage[] {
    return this.#database
      .prepare('SELECT id, detail, state FROM sent_messages WHERE channel = ?')
      .all(this.#channel)
      .map(sentMessageOf)
  }

  setState(id: string, state: string): void {
    this.#database
      .prepare('UPDATE sent_messages SET state = ? WHERE channel = ? AND id = ?')
      .run(state, this.#channel, id)
  }

  remove(id: string): void {
    this.#database.prepare('DELETE FROM sent_messages WHERE channel = ? AND id = ?').run(this.#channel, id)
  }
}

function sentMessageOf(row: Readonly<Record<string, unknown>>): SentMessage {
  return { id: String(row['id']), detail: String(row['detail']), state: String(row['state']) }
}
