import type { DatabaseSync } from 'node:sqlite'

/** The ids of events that one channel has reported, so that it reports each event only once. */
export class HandledItems {
  readonly #database: DatabaseSync
  readonly #channel: string

  constructor(database: DatabaseSync, channel: string) {
    this.#database = database
    this.#channel = channel
  }

  has(id: string): boolean {
    const row = this.#database
      .prepare('SELECT 1 AS found FROM handled WHERE channel = ? AND id = ?')
      .get(this.#channel, id)
    return row !== undefined
  }

  /** @param at the time of the event, in milliseconds */
  add(id: string, at: number): void {
    this.#database
      .prepare('INSERT INTO handled (channel, id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
      .run(this.#channel, id, at)
  }

  forgetBefore(at: number): void {
    this.#database.prepare('DELETE FROM handled WHERE channel = ? AND at < ?').run(this.#channel, at)
  }
}
