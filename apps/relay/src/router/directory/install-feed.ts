import type { Client } from 'pg'

/**
 * A cell records each new and each deleted credential in its table `smsgw_cells.feed`, in the transaction that changes
 * the credential. Routers move these rows to the directory (`cell-feed.ts`). The table has a separate schema, so that
 * backups and migrations of the relay do not see it. The functions run as their owner, so the role of the relay needs
 * no access to the schema.
 */
const FEED = `
CREATE SCHEMA IF NOT EXISTS smsgw_cells;
CREATE TABLE IF NOT EXISTS smsgw_cells.feed (
  id bigserial PRIMARY KEY,
  kind text NOT NULL,
  name text NOT NULL,
  account_id text NOT NULL,
  is_removed boolean NOT NULL
);

CREATE OR REPLACE FUNCTION smsgw_cells.record() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog AS $$
DECLARE
  -- The arguments: the kind, the column of the name, and the column of the account.
  old_row jsonb := CASE WHEN TG_OP = 'INSERT' THEN NULL ELSE to_jsonb(OLD) END;
  new_row jsonb := CASE WHEN TG_OP = 'DELETE' THEN NULL ELSE to_jsonb(NEW) END;
  old_name text := old_row ->> TG_ARGV[1];
  new_name text := new_row ->> TG_ARGV[1];
BEGIN
  IF old_name IS NOT DISTINCT FROM new_name THEN RETURN NULL; END IF;
  IF old_name IS NOT NULL THEN
    INSERT INTO smsgw_cells.feed (kind, name, account_id, is_removed)
    VALUES (TG_ARGV[0], old_name, old_row ->> TG_ARGV[2], true);
  END IF;
  IF new_name IS NOT NULL THEN
    INSERT INTO smsgw_cells.feed (kind, name, account_id, is_removed)
    VALUES (TG_ARGV[0], new_name, new_row ->> TG_ARGV[2], false);
  END IF;
  RETURN NULL;
END $$;
`

/** The credentials by table. `columns` are the columns whose update changes a credential. */
const SOURCES = [
  { table: 'accounts', kind: 'user', name: 'username', account: 'id' },
  { table: 'api_keys', kind: 'key', name: 'id', account: 'account_id' },
  { table: 'sessions', kind: 'session', name: 'token_hash', account: 'account_id' },
  { table: 'devices', kind: 'device', name: 'id', account: 'account_id' },
  { table: 'devices', kind: 'phone', name: 'phone_token_hash', account: 'account_id', columns: 'phone_token_hash' },
  { table: 'pairing_codes', kind: 'code', name: 'secret_hash', account: 'account_id' },
  { table: 'enrolment_tokens', kind: 'enrolment', name: 'token_hash', account: 'account_id' },
] as const

/**
 * Installs the feed in the database of a cell, and records all existing credentials in it. Repeating this is harmless.
 * Waits for running transactions at most two seconds for each table, because statements of the relays wait meanwhile.
 */
export async function installFeed(client: Client): Promise<void> {
  await client.query(FEED)
  for (const source of SOURCES) await inShortTransaction(client, () => install(client, source))
}

async function install(client: Client, source: (typeof SOURCES)[number]): Promise<void> {
  const { table, kind, name, account } = source
  const trigger = `smsgw_cells_${kind}`
  const update = 'columns' in source ? ` OR UPDATE OF ${source.columns}` : ''
  await client.query(
    `CREATE OR REPLACE TRIGGER ${trigger} AFTER INSERT OR DELETE${update} ON ${table} FOR EACH ROW
       EXECUTE FUNCTION smsgw_cells.record('${kind}', '${name}', '${account}')`,
  )
  await client.query(
    `INSERT INTO smsgw_cells.feed (kind, name, account_id, is_removed)
     SELECT '${kind}', ${name}, ${account}, false FROM ${table} WHERE ${name} IS NOT NULL`,
  )
}

async function inShortTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    await client.query(`BEGIN; SET LOCAL lock_timeout = '2s'`)
    try {
      await work()
      await client.query('COMMIT')
      return
    } catch (error) {
      await client.query('ROLLBACK')
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE || tries === MOST_TRIES) throw error
    }
  }
}

const LOCK_NOT_AVAILABLE = '55P03'
const MOST_TRIES = 30
