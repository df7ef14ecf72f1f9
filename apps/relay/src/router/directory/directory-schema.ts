import type { Pool } from 'pg'

/** Serialises the creation of the tables by programs that start together. */
const LOCK = 1_936_554_700

/**
 * The tables of the directory. `change` in `directory_state` increases with each change of a cell, and when an account
 * starts or ends to move. Routers poll this number, and read only rows with a higher number.
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS directory_state (
  id integer PRIMARY KEY CHECK (id = 1),
  format integer NOT NULL,
  change bigint NOT NULL
);
INSERT INTO directory_state (id, format, change) VALUES (1, 1, 1) ON CONFLICT (id) DO NOTHING;

CREATE TABLE IF NOT EXISTS cells (
  id text PRIMARY KEY,
  database_sealed text NOT NULL,
  relays text[] NOT NULL,
  is_open boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS accounts (
  id text PRIMARY KEY,
  username text NOT NULL UNIQUE,
  cell text NOT NULL REFERENCES cells (id),
  is_moving boolean NOT NULL DEFAULT false,
  changed bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS accounts_changed ON accounts (changed);
CREATE INDEX IF NOT EXISTS accounts_cell ON accounts (cell);

CREATE TABLE IF NOT EXISTS credentials (
  kind text NOT NULL,
  name text NOT NULL,
  account_id text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  PRIMARY KEY (kind, name)
);
CREATE INDEX IF NOT EXISTS credentials_account ON credentials (account_id);

CREATE TABLE IF NOT EXISTS routers (
  id text PRIMARY KEY,
  seen bigint NOT NULL,
  renewed_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE IF NOT EXISTS moves (
  id bigserial PRIMARY KEY,
  account_id text NOT NULL,
  username text NOT NULL,
  source text NOT NULL REFERENCES cells (id),
  target text NOT NULL REFERENCES cells (id),
  step text NOT NULL,
  held_since timestamptz(3) NOT NULL,
  drained_at timestamptz,
  switched_at timestamptz,
  row_count bigint,
  finished_at timestamptz
);
CREATE UNIQUE INDEX IF NOT EXISTS moves_open ON moves (account_id) WHERE finished_at IS NULL;
`

const FORMAT = 1

/** Creates the missing tables of the directory. Throws if a newer release created them in another format. */
export async function prepareDirectory(pool: Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    await client.query(TABLES)
    const { rows } = await client.query<{ format: number }>('SELECT format FROM directory_state')
    if (rows[0]?.format !== FORMAT)
      throw new Error(`the directory has format ${rows[0]?.format}, but this release reads format ${FORMAT}`)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    client.release()
  }
}
