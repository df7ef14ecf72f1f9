import type { DatabaseSync } from 'node:sqlite'

/** How long a repeated submit_sm is recognised. */
const REPEAT_MS = 5 * 60_000

/**
 * The ids of submitted messages that have a user_message_reference. A client that lost the answer submits the message
 * again over a new connection, so the same reference with the same content means the same message. On the same
 * connection, no answer was lost, so after the first answer the same reference means another message.
 */
export class RepeatedSubmits {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
    database.exec(`
      CREATE TABLE IF NOT EXISTS smpp_submits (
        hash TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT, at INTEGER NOT NULL) WITHOUT ROWID;
    `)
  }

  /** Returns the id of a message: the id of its first submission, or the new id. */
  idFor(
    hash: string,
    { newId, sessionId }: { readonly newId: string; readonly sessionId: string },
    now: number,
  ): string {
    const row = this.#database.prepare('SELECT message_id, session_id, at FROM smpp_submits WHERE hash = ?').get(hash)
    const isRepeat = row !== undefined && Number(row['at']) > now - REPEAT_MS && row['session_id'] !== sessionId
    if (isRepeat) return String(row['message_id'])
    this.#database
      .prepare(`INSERT INTO smpp_submits VALUES (?, ?, NULL, ?)
        ON CONFLICT DO UPDATE SET message_id = excluded.message_id, session_id = NULL, at = excluded.at`)
      .run(hash, newId, now)
    return newId
  }

  /** Must be called when the answer was written to the connection of this session. */
  setAnswered(hash: string, sessionId: string): void {
    this.#database.prepare('UPDATE smpp_submits SET session_id = ? WHERE hash = ?').run(sessionId, hash)
  }

  forget(now: number): void {
    this.#database.prepare('DELETE FROM smpp_submits WHERE at < ?').run(now - REPEAT_MS)
  }
}
