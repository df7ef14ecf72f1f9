// Writes the data of a busy month into the database of a gateway, in the form in which the gateway writes it.
import type { Client } from 'pg'

export interface History {
  /** The number of sent messages. The number of received messages is 40 % of it. */
  readonly messages: number
  /**
   * The number of phone numbers with which messages are exchanged. One of these numbers has a twentieth of all
   * messages.
   */
  readonly numbers: number
}

/** The phone number with the most messages: one in twenty. */
export const busiestNumber = '+447400000000'

export async function fillHistory(client: Client, { messages, numbers }: History): Promise<void> {
  const { rows } = await client.query('SELECT id, account_id FROM devices WHERE deleted_at IS NULL LIMIT 1')
  const { id: deviceId, account_id: accountId } = rows[0]
  const run = (sql: string, ...values: readonly unknown[]) => client.query(sql, [accountId, deviceId, ...values])
  await run(MESSAGES, messages)
  await run(RECIPIENTS, numbers)
  await run(PARTS)
  await run(INBOX, Math.floor(messages * 0.4), numbers)
  const webhooks = await client.query(WEBHOOKS, [accountId])
  await run(DELIVERIES, webhooks.rows[0].key)
  await run(ATTEMPTS)
  await run(LOGS)
  await run(TELEMETRY)
  await client.query('VACUUM ANALYZE')
}

/**
 * The time of a message. The latest message is a minute old, and half of the messages are less than a week old.
 */
const AT = `now() - interval '1 minute' - interval '28 days' * power((n - 1) / $3::float8, 2)`

const MESSAGES = `
  INSERT INTO messages (account_id, device_id, id, created_at, text, state, processed_at, sent_at, delivered_at, failed_at, finished_at)
  SELECT $1, $2, 'bench-' || n, at,
    CASE n % 7
      WHEN 0 THEN 'Your code is ' || 100000 + n || '. It is valid for ten minutes; do not tell it to anybody.'
      WHEN 1 THEN 'Grüße aus Zürich, Bestellung ' || n || ' ist unterwegs 📦'
      ELSE 'Hello, your order no. ' || n || ' arrives tomorrow between 10:00 and 12:00. Reply STOP to hear no more of it.'
    END,
    state::message_state, at + interval '80 ms',
    CASE WHEN state IN ('Sent', 'Delivered') THEN at + interval '2 s' + n % 40 * interval '100 ms' END,
    CASE WHEN state = 'Delivered' THEN at + interval '7 s' END,
    CASE WHEN state = 'Failed' THEN at + interval '4 s' END,
    at + interval '7 s'
  FROM generate_series($3::int, 1, -1) n,
    LATERAL (SELECT ${AT} AS at, CASE WHEN n % 25 = 0 THEN 'Failed' WHEN n % 9 = 0 THEN 'Sent' ELSE 'Delivered' END AS state) AS message_state`

const NUMBER = (n: string, numbers: string) =>
  `'+4474' || lpad((CASE WHEN ${n} % 20 = 0 THEN 0 ELSE 1 + (${n}::bigint * 7919) % ${numbers}::int END)::text, 8, '0')`

const RECIPIENTS = `
  INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, state, error, error_code,
    due_at, used_sim_number, sender_number, parts_count, dispatched_at, processed_at, sent_at, delivered_at, failed_at)
  SELECT 'bench-cmd-' || n, key, $1, $2, 0, ${NUMBER('n', '$3')}, state,
    CASE WHEN state = 'Failed' THEN 'the network refused it: unassigned number' END, CASE WHEN state = 'Failed' THEN 'refused' END,
    created_at, 1, '+447700900001', 1 + n % 2, processed_at - interval '20 ms', processed_at, sent_at, delivered_at, failed_at
  FROM (SELECT *, substr(id, 7)::int AS n FROM messages WHERE account_id = $1 AND id LIKE 'bench-%') AS m`

const PARTS = `
  INSERT INTO parts (cmd_id, index, reference, result, result_code, result_words, result_advice, submitted_at, report_status, report_text, reported_at)
  SELECT cmd_id, index, (message_key + index) % 256, CASE WHEN state = 'Failed' THEN 'refused' ELSE 'accepted' END,
    CASE WHEN state = 'Failed' THEN 'CMS 1' END, CASE WHEN state = 'Failed' THEN 'unassigned number' END,
    CASE WHEN state = 'Failed' THEN 'Check the number.' END, processed_at + index * interval '1 s',
    CASE WHEN state = 'Delivered' THEN 0 END, CASE WHEN state = 'Delivered' THEN 'received by the phone' END, delivered_at
  FROM recipients, generate_series(1, parts_count) index WHERE account_id = $1 AND device_id = $2 AND cmd_id LIKE 'bench-%'`

const INBOX = `
  INSERT INTO inbox (account_id, device_id, id, type, sender, recipient, sim_number, created_at, stored_at, text)
  SELECT $1, $2, 'bench-in-' || n, 'SMS', ${NUMBER('n * 3', '$4')}, '+447700900001', 1, ${AT}, ${AT},
    'Thank you, no. ' || n || ' has come. See you on ' || n % 28 || ' March'
  FROM generate_series($3::int, 1, -1) n`

const WEBHOOKS = `
  INSERT INTO webhooks (account_id, id, url, event, secret_sealed)
  VALUES ($1, 'bench-webhook', 'https://example.com/sms', 'sms:delivered', 'x') RETURNING key`

const DELIVERIES = `
  INSERT INTO webhook_deliveries (id, webhook_key, account_id, device_id, event, payload, created_at, state, attempts, tries, finished_at)
  SELECT gen_random_uuid()::text, $3, $1, $2, 'sms:delivered',
    jsonb_build_object('messageId', m.id, 'sender', r.sender_number, 'recipient', r.phone_number, 'simNumber', 1,
      'phoneNumber', r.phone_number, 'deliveredAt', m.delivered_at),
    m.delivered_at, CASE WHEN m.key % 50 = 0 THEN 'failed' ELSE 'delivered' END, tries, tries, m.delivered_at + interval '1 s'
  FROM messages m JOIN recipients r ON r.message_key = m.key,
    LATERAL (SELECT CASE WHEN m.key % 50 = 0 THEN 9 WHEN m.key % 11 = 0 THEN 2 ELSE 1 END AS tries) AS tried
  WHERE m.account_id = $1 AND m.delivered_at IS NOT NULL`

const ATTEMPTS = `
  INSERT INTO webhook_attempts (delivery_key, number, started_at, duration_ms, address, status, excerpt)
  SELECT key, number, created_at + number * interval '1 s', 20 + key % 300, '192.0.2.7',
    CASE WHEN number = tries AND state = 'delivered' THEN 200 ELSE 503 END,
    CASE WHEN number = tries AND state = 'delivered' THEN '{"ok":true}' ELSE repeat('<p>Service unavailable</p>', 70) END
  FROM webhook_deliveries, generate_series(1, tries) number WHERE account_id = $1 AND device_id = $2`

const LOGS = `
  INSERT INTO logs (account_id, device_id, created_at, module, priority, message, context)
  SELECT $1, $2, now() - n * interval '20 s', (ARRAY['modem', 'webhooks', 'agent', 'auth'])[1 + n % 4],
    CASE WHEN n % 40 = 0 THEN 'ERROR' WHEN n % 15 = 0 THEN 'WARN' ELSE 'INFO' END,
    'something happened for the ' || n || 'th time', jsonb_build_object('port', '/dev/ttyUSB2')
  FROM generate_series(50000, 1, -1) n`

/** One sample every 30 s for a week. */
const TELEMETRY = `
  INSERT INTO telemetry (device_id, at, sample)
  SELECT $2, now() - n * interval '30 s', jsonb_build_object('journal', jsonb_build_object('fsyncMs', 2 + n % 9),
    'queue', jsonb_build_object('open', n % 30), 'modems', jsonb_build_array(jsonb_build_object('simNumber', 1,
      'signal', 40 + (30 * sin(n / 200.0))::int, 'signalDbm', -80, 'registration', 'home', 'state', 'ready')))
  FROM generate_series(20160, 1, -1) n WHERE $1::text IS NOT NULL`
