import { undatedMs } from './retention.ts'

/** Stored in the file as `user_version`. */
export const schemaVersion = 3
/**
 * Stored in the file as `application_id`: the oldest version whose agents can use a journal of `schemaVersion`, so that
 * the previous release can be installed again. A schema change that only adds tables, indexes, or columns with defaults
 * keeps this number. Any other change sets this number to the new version. A release may remove a part of the schema
 * only if the previous release already does not use that part.
 */
export const oldestUsableBy = 3

/** A column contains JSON if no query has to search in it. */
export const schema = `
  CREATE TABLE journal (
    id TEXT NOT NULL,
    -- The journal that this one replaced, because it was an old copy.
    replaces TEXT,
    next_seq INTEGER NOT NULL DEFAULT 1,
    -- The last event that the relay has stored, and the id of its stream.
    mark INTEGER NOT NULL DEFAULT 0,
    stream_id TEXT,
    -- The start that wrote last, and the number of commits: see boot-mark.ts.
    start_token TEXT,
    commits INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE commands (
    cmd_id TEXT PRIMARY KEY,
    -- Null in a tombstone.
    command TEXT,
    received TEXT NOT NULL,
    received_ms INTEGER NOT NULL,
    plan TEXT,
    note TEXT,
    -- Null while it is open.
    outcome TEXT,
    -- Undated (see retention.ts) until the time is known.
    ended_ms INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX commands_open ON commands (received_ms) WHERE outcome IS NULL;
  CREATE INDEX commands_ended ON commands (ended_ms) WHERE outcome IS NOT NULL;

  CREATE TABLE attempts (
    cmd_id TEXT NOT NULL,
    part INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    committed TEXT,
    evidence TEXT,
    result TEXT,
    result_at TEXT,
    reference INTEGER,
    code TEXT,
    PRIMARY KEY (cmd_id, part, attempt)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX attempts_by_reference ON attempts (reference) WHERE reference IS NOT NULL;

  CREATE TABLE reports (
    cmd_id TEXT NOT NULL,
    part INTEGER NOT NULL,
    status INTEGER NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (cmd_id, part, status)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE inbound (
    pdu_id TEXT PRIMARY KEY,
    -- The order of arrival, in which long messages are rebuilt.
    arrival INTEGER NOT NULL,
    iccid TEXT NOT NULL,
    sim_number INTEGER NOT NULL,
    pdu TEXT NOT NULL,
    received TEXT NOT NULL,
    -- Undated (see retention.ts) until the time is known.
    received_ms INTEGER NOT NULL,
    memory TEXT,
    slot_index INTEGER,
    settled TEXT,
    detail TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX inbound_arrival ON inbound (arrival);
  CREATE INDEX inbound_waiting ON inbound (arrival) WHERE settled IS NULL OR settled = 'unmatched';
  CREATE INDEX inbound_age ON inbound (received_ms);

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    event TEXT NOT NULL,
    -- Random, to determine whether two journals have the same event under the same number.
    tag TEXT NOT NULL,
    -- Undated (see retention.ts) until the time is known.
    written_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX events_written ON events (written_ms);

  CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`

/** The SQL that upgrades a journal to the next version. The key is the version before the upgrade. */
export const upgrades: Readonly<Record<number, string>> = {
  1: 'ALTER TABLE journal ADD COLUMN start_token TEXT; ALTER TABLE journal ADD COLUMN commits INTEGER NOT NULL DEFAULT 0',
  // Version 2 stored times even if the clock was not trusted, so the correct times cannot be distinguished from the
  // wrong times.
  2: `CREATE INDEX events_written ON events (written_ms);
      UPDATE events SET written_ms = ${undatedMs};
      UPDATE commands SET ended_ms = ${undatedMs} WHERE outcome IS NOT NULL;
      UPDATE inbound SET received_ms = ${undatedMs} WHERE received ->> 'trusted' = 0
        AND received_ms = received ->> 'wallMs' AND coalesce(settled, '') <> 'joined'`,
}
