import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../state/bridge-state.ts'
import { SmppError } from '../protocol/command.ts'
import type { PartPosition } from './submitted-message.ts'

/**
 * How long to wait for the next part. A finished message is also remembered for this time, so that a repeated part is
 * recognised.
 */
const PART_WAIT_MS = 5 * 60_000
const MOST_GROUPS = 1_000
const LARGEST_PART = 1_024

/** A message whose parts are still being collected. */
export interface StoredPartGroup {
  readonly key: string
  /** The message id, which is chosen with the first part, because the answer to that part contains it. */
  readonly messageId: string
  readonly isSent: boolean
  /** The number of parts that request a receipt. */
  readonly receipts: number
  /** JSON data for the report that is needed if the message stays incomplete. */
  readonly detail: string
}

/** Stores parts of messages on disk, so that an answered part is not lost if the bridge crashes. */
export class PartStore {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
    database.exec(`
      CREATE TABLE IF NOT EXISTS smpp_groups (
        key TEXT PRIMARY KEY, message_id TEXT NOT NULL, total INTEGER NOT NULL, is_sent INTEGER NOT NULL DEFAULT 0,
        detail TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS smpp_parts (
        key TEXT NOT NULL, sequence INTEGER NOT NULL, hash TEXT NOT NULL, octets BLOB NOT NULL,
        wants_receipt INTEGER NOT NULL, PRIMARY KEY (key, sequence)) WITHOUT ROWID;
    `)
  }

  /**
   * Stores a part. Returns its group and, after the last missing part, the octets of the whole message. If a part has
   * the same position as an earlier part but different content, it begins a new message. If the earlier message is
   * incomplete, it is then returned as `replaced`.
   */
  add(
    part: {
      readonly key: string
      readonly position: PartPosition
      readonly octets: Uint8Array
      readonly wantsReceipt: boolean
      readonly detail: string
      readonly newMessageId: string
    },
    now: number,
  ): {
    readonly group: StoredPartGroup
    readonly message: Buffer | undefined
    readonly replaced: StoredPartGroup | undefined
  } {
    const { key, position, octets } = part
    if (octets.length > LARGEST_PART)
      throw new SmppError('ESME_RINVMSGLEN', `a part has more than ${LARGEST_PART} octets`)
    const hash = createHash('sha256').update(octets).digest('base64')
    return inTransaction(this.#database, () => {
      const stored = this.#database
        .prepare('SELECT hash FROM smpp_parts WHERE key = ? AND sequence = ?')
        .get(key, position.sequence)
      const isOther = stored !== undefined && stored['hash'] !== hash
      const present = this.#find(key)
      if (isOther && present !== undefined) this.remove(key)
      if (present === undefined || isOther) this.#create(part, now)
      this.#database
        .prepare('INSERT INTO smpp_parts VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
        .run(key, position.sequence, hash, octets, part.wantsReceipt ? 1 : 0)
      this.#database.prepare('UPDATE smpp_groups SET at = ? WHERE key = ?').run(now, key)
      const group = this.#find(key) as StoredPartGroup
      const isReplaced = isOther && present !== undefined && !present.isSent
      return { group, message: this.#join(group, position.total), replaced: isReplaced ? present : undefined }
    })
  }

  /** Removes one part, so that the client can submit it again. */
  removePart(key: string, sequence: number): void {
    this.#database.prepare('DELETE FROM smpp_parts WHERE key = ? AND sequence = ?').run(key, sequence)
  }

  /** Deletes the parts of a message, but keeps their hashes to recognise repeated parts. */
  setSent(key: string): void {
    inTransaction(this.#database, () => {
      this.#database.prepare('UPDATE smpp_groups SET is_sent = 1 WHERE key = ?').run(key)
      this.#database.prepare("UPDATE smpp_parts SET octets = x'' WHERE key = ?").run(key)
    })
  }

  remove(key: string): void {
    this.#database.prepare('DELETE FROM smpp_parts WHERE key = ?').run(key)
    this.#database.prepare('DELETE FROM smpp_groups WHERE key = ?').run(key)
  }

  /** Returns messages whose last part arrived too long ago. */
  expired(now: number): (StoredPartGroup & { readonly isComplete: boolean })[] {
    return this.#database
      .prepare(`${SELECT_GROUPS} WHERE at < ?`)
      .all(now - PART_WAIT_MS)
      .map((row) => ({ ...groupOf(row), isComplete: row['total'] === row['present'] }))
  }

  #find(key: string): StoredPartGroup | undefined {
    const row = this.#database.prepare(`${SELECT_GROUPS} WHERE key = ?`).get(key)
    return row === undefined ? undefined : groupOf(row)
  }

  #create(
    {
      key,
      newMessageId,
      position,
      detail,
    }: { key: string; newMessageId: string; position: PartPosition; detail: string },
    now: number,
  ): void {
    const open = this.#database.prepare('SELECT count(*) AS count FROM smpp_groups WHERE is_sent = 0').get()
    if (Number(open?.['count']) >= MOST_GROUPS)
      throw new SmppError('ESME_RMSGQFUL', `the maximum of ${MOST_GROUPS} messages with missing parts is reached`)
    this.#database
      .prepare('INSERT INTO smpp_groups (key, message_id, total, detail, at) VALUES (?, ?, ?, ?, ?)')
      .run(key, newMessageId, position.total, detail, now)
  }

  #join({ key, isSent }: StoredPartGroup, total: number): Buffer | undefined {
    if (isSent) return undefined
    const parts = this.#database.prepare('SELECT octets FROM smpp_parts WHERE key = ? ORDER BY sequence').all(key)
    return parts.length < total ? undefined : Buffer.concat(parts.map(({ octets }) => octets as Uint8Array))
  }
}

const SELECT_GROUPS = `SELECT *,
  (SELECT count(*) FROM smpp_parts WHERE smpp_parts.key = smpp_groups.key) AS present,
  (SELECT coalesce(sum(wants_receipt), 0) FROM smpp_parts WHERE smpp_parts.key = smpp_groups.key) AS receipts
  FROM smpp_groups`

function groupOf(row: Readonly<Record<string, unknown>>): StoredPartGroup {
  return {
    key: String(row['key']),
    messageId: String(row['message_id']),
    isSent: row['is_sent'] === 1,
    receipts: Number(row['receipts']),
    detail: String(row['detail']),
  }
}
