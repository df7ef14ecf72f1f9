import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../state/bridge-state.ts'

/** How long deliveries are kept if no client accepts them. */
const KEPT_MS = 7 * 86_400_000
/**
 * How long receipts are remembered, because a state may be reported again. The states of messages are followed for 10
 * days.
 */
const REPORTED_MS = 11 * 86_400_000

export interface Receipt {
  readonly systemId: string
  readonly owner: string
  readonly messageId: string
  readonly source: { readonly ton: number; readonly npi: number; readonly value: string }
  readonly destination: { readonly ton: number; readonly npi: number; readonly value: string }
  readonly submittedAt: number
  readonly doneAt: number
  readonly messageState: number
  readonly stat: string
  readonly errorCode: number
  /** The first characters of the text. */
  readonly text: string
}

export type QueuedDelivery = { readonly number: number } & (
  | { readonly kind: 'received'; readonly inboxId: string }
  | { readonly kind: 'receipt'; readonly receipt: Receipt }
)

/**
 * Keeps received messages and receipts on disk until a client has confirmed them. For a received message, only its id
 * is stored.
 */
export class DeliveryQueue {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
    database.exec(`
      CREATE TABLE IF NOT EXISTS smpp_deliveries (
        number INTEGER PRIMARY KEY AUTOINCREMENT, item TEXT UNIQUE, owner TEXT, receipt TEXT, at INTEGER NOT NULL);
      CREATE INDEX IF NOT EXISTS smpp_deliveries_by_time ON smpp_deliveries (at);
      CREATE TABLE IF NOT EXISTS smpp_reported (message_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS smpp_reported_by_time ON smpp_reported (at);
    `)
  }

  /** A message that is already in the queue is not added again. */
  addReceived(inboxId: string, now: number): void {
    this.#database
      .prepare('INSERT INTO smpp_deliveries (item, at) VALUES (?, ?) ON CONFLICT DO NOTHING')
      .run(inboxId, now)
  }

  /**
   * Adds the receipts of a message, each `copies` times, unless they were added before. A state may be reported a
   * second time after a crash, or if the client has submitted the message again.
   */
  addReceipts(messageId: string, receipts: readonly Receipt[], copies: number, now: number): void {
    // Uses one commit, because a message may have thousands of receipts.
    inTransaction(this.#database, () => {
      const { changes } = this.#database
        .prepare('INSERT INTO smpp_reported VALUES (?, ?) ON CONFLICT DO NOTHING')
        .run(messageId, now)
      if (changes === 0) return
      const insert = this.#database.prepare('INSERT INTO smpp_deliveries (owner, receipt, at) VALUES (?, ?, ?)')
      for (const receipt of receipts)
        for (let copy = 0; copy < copies; copy += 1) insert.run(ownerOf(receipt), JSON.stringify(receipt), now)
    })
  }

  /**
   * Returns the deliveries for a client, oldest first: its receipts, and all received messages if the client may read
   * them.
   */
  listFor(
    client: { readonly systemId: string; readonly owner: string; readonly readsInbox: boolean },
    after: number,
    limit: number,
  ): QueuedDelivery[] {
    const { readsInbox } = client
    return this.#database
      .prepare(`SELECT * FROM smpp_deliveries WHERE number > ? AND (owner = ? OR (owner IS NULL AND ?))
        ORDER BY number LIMIT ?`)
      .all(after, ownerOf(client), readsInbox ? 1 : 0, limit)
      .map(deliveryOf)
  }

  remove(number: number): void {
    this.#database.prepare('DELETE FROM smpp_deliveries WHERE number = ?').run(number)
  }

  /** Removes deliveries that are too old. Returns their number. */
  removeOld(now: number): number {
    this.#database.prepare('DELETE FROM smpp_reported WHERE at < ?').run(now - REPORTED_MS)
    return Number(this.#database.prepare('DELETE FROM smpp_deliveries WHERE at < ?').run(now - KEPT_MS).changes)
  }
}

function ownerOf({ owner, systemId }: { readonly owner: string; readonly systemId: string }): string {
  return JSON.stringify([owner, systemId])
}

function deliveryOf(row: Readonly<Record<string, unknown>>): QueuedDelivery {
  const number = Number(row['number'])
  if (row['receipt'] === null) return { number, kind: 'received', inboxId: String(row['item']) }
  return { number, kind: 'receipt', receipt: JSON.parse(String(row['receipt'])) as Receipt }
}
