import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Json } from './change.ts'
import { oldestUsableBy, schema, schemaVersion, upgrades } from './schema.ts'

export interface JournalFile {
  readonly database: DatabaseSync
  /**
   * The path to which a broken journal was moved, and the reason. The messages of a broken journal are not sent,
   * because their state is unknown.
   */
  readonly broken: { readonly movedTo: string; readonly why: string } | undefined
  /** True at the first start, and after the journal was deleted. */
  readonly isNew: boolean
}

/** Opens the file, or creates a file with a new id. A broken file is renamed, never repaired or deleted. */
export function openJournalFile(path: string, newJournalId: string, nowMs: number): JournalFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const isNew = !existsSync(path)
  const { database, why } = tryToOpen(path)
  if (database !== undefined) {
    if (isNew || isEmpty(database)) create(database, newJournalId)
    return { database, broken: undefined, isNew }
  }
  const movedTo = `${path}.broken-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}`
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, movedTo + suffix)
  }
  const fresh = configured(path)
  create(fresh, newJournalId)
  return { database: fresh, broken: { movedTo, why }, isNew: false }
}

/**
 * Reads the notes, such as the SIM numbers of modems, while no agent is running. Returns no notes if the file cannot be
 * read.
 */
export function storedNotes(path: string): Readonly<Record<string, Json>> {
  if (!existsSync(path)) return {}
  try {
    const database = new DatabaseSync(path, { readOnly: true })
    const rows = database.prepare('SELECT name, value FROM notes').all()
    database.close()
    return Object.fromEntries(rows.map(({ name, value }) => [String(name), JSON.parse(String(value)) as Json]))
  } catch {
    return {}
  }
}

type Attempt =
  | { readonly database: DatabaseSync; readonly why: '' }
  | { readonly database: undefined; readonly why: string }

function tryToOpen(path: string): Attempt {
  let database: DatabaseSync | undefined
  try {
    database = configured(path)
    const [{ quick_check: verdict } = {}] = database.prepare('PRAGMA quick_check(1)').all()
    if (verdict !== 'ok') throw new BrokenJournal(String(verdict))
    const version = versionOf(database)
    if (version > schemaVersion && !isUsable(database)) throw new NewerJournal(path, version)
    if (version > 0) {
      upgrade(database, version)
      database.prepare('SELECT id, next_seq, mark, commits FROM journal').get()
    }
    return { database, why: '' }
  } catch (error) {
    if (database?.isOpen) database.close()
    if (isBroken(error)) return { database: undefined, why: (error as Error).message }
    if (isOfTheDisk(error)) {
      const why = (error as Error).message
      throw new Error(`cannot open ${path}: ${why}. Free space on its disk, or replace the disk`, { cause: error })
    }
    throw error
  }
}

function configured(path: string): DatabaseSync {
  const database = new DatabaseSync(path)
  try {
    // FULL syncs the log at each commit, so that an acknowledged write survives a power cut.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000')
    // Overwrites deleted content with zeros.
    database.exec('PRAGMA secure_delete = ON')
    // A checkpoint writes a page once, however often the log contains it. So fewer checkpoints write less. 4000 pages
    // are 16 MB. The agent also makes a checkpoint every minute: see `forget`.
    database.exec('PRAGMA journal_size_limit = 16777216; PRAGMA wal_autocheckpoint = 4000')
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

function create(database: DatabaseSync, journalId: string): void {
  database.exec(`BEGIN IMMEDIATE; ${schema}; PRAGMA user_version = ${schemaVersion}; ${MARK_OLDEST}`)
  database.prepare('INSERT INTO journal (id) VALUES (?)').run(journalId)
  database.exec('COMMIT')
}

function upgrade(database: DatabaseSync, from: number): void {
  for (let version = from; version < schemaVersion; version += 1) {
    database.exec(`BEGIN IMMEDIATE; ${upgrades[version]}; PRAGMA user_version = ${version + 1}; COMMIT`)
  }
  if (from <= schemaVersion && pragma(database, 'application_id') !== oldestUsableBy) database.exec(MARK_OLDEST)
}

const MARK_OLDEST = `PRAGMA application_id = ${oldestUsableBy}`

/** Returns true if this agent can use a journal that a newer agent wrote. */
function isUsable(database: DatabaseSync): boolean {
  const oldest = pragma(database, 'application_id')
  return oldest > 0 && oldest <= schemaVersion
}

function isEmpty(database: DatabaseSync): boolean {
  return versionOf(database) === 0
}

function versionOf(database: DatabaseSync): number {
  return pragma(database, 'user_version')
}

function pragma(database: DatabaseSync, name: 'user_version' | 'application_id'): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
}

class BrokenJournal extends Error {}

class NewerJournal extends Error {
  constructor(path: string, version: number) {
    super(
      `${path} was written by a newer agent (format ${version}, this agent supports ${schemaVersion}); install the newer agent again`,
    )
  }
}

/** SQLITE_IOERR and SQLITE_FULL. The disk failed, so the file is not changed. */
function isOfTheDisk(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && [10, 13].includes(Number(error.errcode) & 0xff)
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. A full disk or a missing permission does not mean that the file is broken. */
function isBroken(error: unknown): boolean {
  if (error instanceof BrokenJournal) return true
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
  return code === 11 || code === 26
}
