import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * The data that must survive a crash of the bridge, in one SQLite file. Each commit is synced to disk before it
 * returns, so the row of an acknowledged message survives a power cut. Deleted texts are overwritten.
 */
export function openState(folder: string): DatabaseSync {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(join(folder, 'bridge.db'))
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA secure_delete = ON;
    CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS handled (
      channel TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (channel, id)) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS handled_by_time ON handled (channel, at);
    CREATE TABLE IF NOT EXISTS sent_messages (
      channel TEXT NOT NULL, id TEXT NOT NULL, detail TEXT NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL,
      PRIMARY KEY (channel, id)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS mqtt_packets (packet_id INTEGER PRIMARY KEY, packet TEXT NOT NULL, item TEXT);
    CREATE TABLE IF NOT EXISTS mqtt_commands (
      number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, command TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS mqtt_arrivals (packet_id INTEGER PRIMARY KEY, hash TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS chat_texts (
      number INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT NOT NULL, item TEXT NOT NULL, text TEXT NOT NULL,
      at INTEGER NOT NULL, UNIQUE (target, item));
    CREATE TABLE IF NOT EXISTS mqtt_devices (id TEXT PRIMARY KEY, components TEXT NOT NULL) WITHOUT ROWID;
  `)
  return database
}

/** Runs `work` in one transaction. */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

/** Commits concurrent writes together, because each commit waits for the disk. */
export class GroupedWrites {
  readonly #database: DatabaseSync
  #writes: (() => void)[] = []
  #committed: Promise<void> | undefined

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Returns the result of a write after it is on disk. A write that throws makes all writes of its group fail. */
  async run<Result>(write: () => Result): Promise<Result> {
    let result: Result | undefined
    this.#writes.push(() => {
      result = write()
    })
    this.#committed ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#commit())
    await this.#committed
    return result as Result
  }

  #commit(): void {
    const writes = this.#writes
    this.#writes = []
    this.#committed = undefined
    inTransaction(this.#database, () => {
      for (const write of writes) write()
    })
  }
}

/** Stores single values by name. */
export class Notes {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  read(name: string): string | undefined {
    const row = this.#database.prepare('SELECT value FROM notes WHERE name = ?').get(name)
    return row === undefined ? undefined : String(row['value'])
  }

  readOrCreate(name: string, create: () => string): string {
    const stored = this.read(name)
    if (stored !== undefined) return stored
    const created = create()
    this.write(name, created)
    return created
  }

  write(name: string, value: string): void {
    this.#database
      .prepare('INSERT INTO notes (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value')
      .run(name, value)
  }
}
