import { createHash, randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { IPublishPacket } from 'mqtt'
import { inTransaction } from '../state/bridge-state.ts'

/** A command that the bridge has confirmed to the broker, but not yet passed to the API. */
export interface QueuedCommand {
  /** The position in the queue, which is never used again. */
  readonly number: number
  /** The idempotency key of the message. */
  readonly key: string
  /** The unchanged payload. */
  readonly payload: Buffer
  readonly responseTopic: string | undefined
  readonly correlationData: Buffer | undefined
}

/** The largest number of commands, because the queue must not fill the disk. */
const MOST_COMMANDS = 10_000
/**
 * A full queue accepts commands again when it has shrunk to this number, so that the broker repeats many commands at
 * once.
 */
const COMMANDS_TO_REOPEN = 9_000

/**
 * Commands on disk, in the order of their arrival. If a confirmation was lost, the broker delivers the command again.
 * Such a repetition has the DUP flag, and the packet id and the content of the first delivery. A repetition is not
 * queued again.
 */
export class CommandQueue {
  readonly #database: DatabaseSync
  #isFull = false

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /**
   * Returns false if the queue is full. After that, the queue accepts no commands until `reopen`, because the commands
   * that the broker repeats must come first.
   */
  add({ messageId = 0, dup, payload, properties }: IPublishPacket, givenId: string | undefined): boolean {
    const content = Buffer.from(payload)
    const hash = sha256(content)
    return inTransaction(this.#database, () => {
      if (dup && this.#hashOf(messageId) === hash) return true
      if (this.#isFull || this.#count() >= MOST_COMMANDS) {
        this.#isFull = true
        // Forgets earlier deliveries with this packet id. Otherwise, when the broker sends this command again, it could
        // be taken for an earlier command with the same packet id.
        this.#database.prepare('DELETE FROM mqtt_arrivals WHERE packet_id = ?').run(messageId)
        return false
      }
      const { responseTopic, correlationData } = properties ?? {}
      const stored: StoredCommand = {
        payload: content.toString('base64'),
        ...(responseTopic !== undefined && { responseTopic }),
        ...(correlationData !== undefined && { correlationData: Buffer.from(correlationData).toString('base64') }),
      }
      const key = givenId === undefined ? `mqtt:${randomUUID()}` : `mqtt:${sha256(Buffer.from(givenId))}`
      this.#database
        .prepare('INSERT INTO mqtt_commands (key, command) VALUES (?, ?) ON CONFLICT DO NOTHING')
        .run(key, JSON.stringify(stored))
      this.#database.prepare('INSERT OR REPLACE INTO mqtt_arrivals VALUES (?, ?)').run(messageId, hash)
      return true
    })
  }

  get isFull(): boolean {
    return this.#isFull
  }

  /** True when the full queue has room again for the commands that the broker keeps. */
  get mayReopen(): boolean {
    return this.#isFull && this.#count() <= COMMANDS_TO_REOPEN
  }

  /**
   * Lets the queue accept commands again. Called before the broker repeats all commands that the queue did not accept.
   */
  reopen(): void {
    this.#isFull = false
  }

  /** Returns the oldest command, except those with the given numbers. */
  first(except: readonly number[] = []): QueuedCommand | undefined {
    const row = this.#database
      .prepare(`SELECT number, key, command FROM mqtt_commands
        WHERE number NOT IN (SELECT value FROM json_each(?)) ORDER BY number LIMIT 1`)
      .get(JSON.stringify(except))
    if (row === undefined) return undefined
    const { payload, responseTopic, correlationData } = JSON.parse(String(row['command'])) as StoredCommand
    return {
      number: Number(row['number']),
      key: String(row['key']),
      payload: Buffer.from(payload, 'base64'),
      responseTopic,
      correlationData: correlationData === undefined ? undefined : Buffer.from(correlationData, 'base64'),
    }
  }

  remove(number: number): void {
    this.#database.prepare('DELETE FROM mqtt_commands WHERE number = ?').run(number)
  }

  #count(): number {
    return Number(this.#database.prepare('SELECT count(*) AS count FROM mqtt_commands').get()?.['count'])
  }

  #hashOf(packetId: number): unknown {
    return this.#database.prepare('SELECT hash FROM mqtt_arrivals WHERE packet_id = ?').get(packetId)?.['hash']
  }
}

/** A command as it is stored, with bytes in base64. */
interface StoredCommand {
  readonly payload: string
  readonly responseTopic?: string
  readonly correlationData?: string
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
