import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../state/bridge-state.ts'

/** A text that a chat target has not accepted yet. */
export interface WaitingText {
  readonly number: number
  readonly item: string
  readonly text: string
  /** When the text was received, in milliseconds. */
  readonly at: number
}

/** The texts that wait for each target. Each text is on disk until the target has accepted it. */
export class ChatQueue {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Adds a received message for all its targets. A repeated message is added only once. */
  add(targets: readonly string[], item: string, text: string, at: number): void {
    inTransaction(this.#database, () => {
      for (const target of targets)
        this.#database
          .prepare('INSERT INTO chat_texts (target, item, text, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
          .run(target, item, text, at)
    })
  }

  /** Returns the oldest text of a target. */
  first(target: string): WaitingText | undefined {
    const row = this.#database
      .prepare('SELECT number, item, text, at FROM chat_texts WHERE target = ? ORDER BY number LIMIT 1')
      .get(target)
    if (row === undefined) return undefined
    return {
      number: Number(row['number']),
      item: String(row['item']),
      text: String(row['text']),
      at: Number(row['at']),
    }
  }

  remove(number: number): void {
    this.#database.prepare('DELETE FROM chat_texts WHERE number = ?').run(number)
  }

  /** Removes the texts of targets that are no longer in the settings. Returns the number of removed texts. */
  keepOnly(targets: readonly string[]): number {
    const { changes } = this.#database
      .prepare('DELETE FROM chat_texts WHERE target NOT IN (SELECT value FROM json_each(?))')
      .run(JSON.stringify(targets))
    return Number(changes)
  }
}
