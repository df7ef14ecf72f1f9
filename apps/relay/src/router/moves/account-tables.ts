/**
 * Describes which rows of a table belong to an account, and which columns get new values from the database to which the
 * account is moved.
 */
export interface AccountTable {
  readonly name: string
  /** The SQL condition for the rows of the account in `$account`. */
  readonly rows: string
  /** A column with numbers of this database. Each row gets a new number in the other database, in the same order. */
  readonly key?: string
  /** Columns that contain a key of another table. */
  readonly refers?: Readonly<Record<string, string>>
  /** Columns that are not copied, because the other database assigns them. */
  readonly assigned?: readonly string[]
  /** Expressions for columns that contain a position in another table. `s` is the row. */
  readonly converted?: Readonly<Record<string, string>>
}

const ofAccount = 'account_id = $account'
const ofDevice = 'device_id IN (SELECT id FROM devices WHERE account_id = $account)'

/** The tables with rows of accounts, referenced tables first. */
export const accountTables: readonly AccountTable[] = [
  { name: 'accounts', rows: 'id = $account' },
  { name: 'api_keys', rows: ofAccount },
  { name: 'api_key_usage', rows: 'key_id IN (SELECT id FROM api_keys WHERE account_id = $account)' },
  { name: 'token_families', rows: ofAccount },
  { name: 'tokens', rows: ofAccount },
  { name: 'sessions', rows: ofAccount },
  { name: 'recognised_logins', rows: ofAccount, assigned: ['seq'] },
  { name: 'pairing_codes', rows: ofAccount },
  { name: 'enrolment_tokens', rows: ofAccount },
  { name: 'devices', rows: ofAccount },
  { name: 'device_journals', rows: ofDevice },
  { name: 'sim_cards', rows: ofDevice },
  { name: 'telemetry', rows: ofDevice, key: 'key' },
  { name: 'device_waiting', rows: ofDevice },
  { name: 'phone_pushes', rows: ofDevice },
  { name: 'device_commands', rows: ofAccount },
  { name: 'messages', rows: ofAccount, key: 'key' },
  {
    name: 'message_attachments',
    rows: 'message_key IN (SELECT key FROM messages WHERE account_id = $account)',
    refers: { message_key: 'messages' },
  },
  { name: 'recipients', rows: ofAccount, refers: { message_key: 'messages' } },
  { name: 'parts', rows: 'cmd_id IN (SELECT cmd_id FROM recipients WHERE account_id = $account)' },
  { name: 'inbox', rows: ofAccount, key: 'key' },
  {
    name: 'inbox_attachments',
    rows: 'inbox_key IN (SELECT key FROM inbox WHERE account_id = $account)',
    refers: { inbox_key: 'inbox' },
  },
  { name: 'labels', rows: ofAccount },
  { name: 'conversation_states', rows: ofAccount },
  { name: 'conversation_labels', rows: ofAccount },
  { name: 'conversation_notes', rows: ofAccount },
  {
    name: 'webhooks',
    rows: ofAccount,
    key: 'key',
    converted: {
      url_since_delivery: positionIn('webhook_deliveries', 'url_since_delivery'),
      url_since_inbox: positionIn('inbox', 'url_since_inbox'),
    },
  },
  {
    name: 'webhook_deliveries',
    rows: ofAccount,
    key: 'key',
    refers: { webhook_key: 'webhooks' },
    // The webhook of the earlier event may have been deleted.
    converted: {
      follows_webhook_key: '(SELECT k.new FROM move_keys_webhooks k WHERE k.old = s.follows_webhook_key)',
    },
  },
  {
    name: 'webhook_attempts',
    rows: 'delivery_key IN (SELECT key FROM webhook_deliveries WHERE account_id = $account)',
    refers: { delivery_key: 'webhook_deliveries' },
  },
  {
    name: 'webhook_deliveries_to_clear',
    rows: 'delivery_key IN (SELECT key FROM webhook_deliveries WHERE account_id = $account)',
    refers: { delivery_key: 'webhook_deliveries' },
  },
  { name: 'logs', rows: ofAccount, key: 'id' },
  { name: 'push_subscriptions', rows: ofAccount },
]

/** Returns SQL that converts a position to the target database: the new key of the last row up to the old position. */
function positionIn(table: string, column: string): string {
  return `coalesce(
    (SELECT max(k.new) FROM move_keys_${table} k WHERE k.old <= s.${column}),
    (SELECT min(k.new) - 1 FROM move_keys_${table} k),
    pg_sequence_last_value(pg_get_serial_sequence('${table}', 'key')::regclass), 0)`
}
