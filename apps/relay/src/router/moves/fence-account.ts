import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '@smsgw/daemon/start-error'
import type { Client } from 'pg'
import type { AccountMove } from './move-records.ts'

const POLL_MS = 50
/**
 * How long a worker may still send to a webhook after it was paused: until the worker's lease and a running request
 * have ended.
 */
const LONGEST_SERVE_MS = 60_000

type Held = Pick<AccountMove, 'accountId' | 'heldSince'>

/**
 * Pauses the webhooks of the account, and waits until no worker sends to them. Events that occur during the pause wait
 * in the outbox, which is copied. If a user has already paused a webhook, its `held_since` is not changed.
 */
export async function holdWebhooks(client: Client, { accountId, heldSince }: Held): Promise<void> {
  const giveUpAt = performance.now() + LONGEST_SERVE_MS
  for (;;) {
    await client.query('UPDATE webhooks SET held_since = $2 WHERE account_id = $1 AND held_since IS NULL', [
      ...[accountId, heldSince],
    ])
    const { rows } = await client.query<{ served: boolean }>(
      `SELECT EXISTS (SELECT FROM webhooks WHERE account_id = $1 AND served_by IS NOT NULL AND served_until > now()) AS served`,
      [accountId],
    )
    if (rows[0]?.served !== true) return
    if (performance.now() > giveUpAt)
      throw new StartError('webhooks of the account are still being delivered: repeat the command')
    await sleep(POLL_MS)
  }
}

/** Resumes the webhooks that the move has paused. */
export async function resumeWebhooks(client: Client, { accountId, heldSince }: Held): Promise<void> {
  await client.query('UPDATE webhooks SET held_since = NULL WHERE account_id = $1 AND held_since = $2', [
    ...[accountId, heldSince],
  ])
}

/**
 * Ends the connections of the account's agents in this database. Increases the epoch of each device. After that, the
 * relays of the source can no longer store events of the old connections, nor dispatch messages to these connections.
 * The statement waits for running transactions of the connections.
 */
export async function fenceAgents(client: Client, accountId: string): Promise<void> {
  await client.query(
    `UPDATE webhooks SET served_by = NULL, served_until = NULL WHERE account_id = $1 AND served_by IS NOT NULL`,
    [accountId],
  )
  await client.query(
    `UPDATE devices SET conn_epoch = conn_epoch + 1, relay_id = NULL, lease_until = NULL
     WHERE account_id = $1 AND phone_token_hash IS NULL`,
    [accountId],
  )
}

/** Returns the names of devices whose agents have connected again after the fence, without a router. */
export async function readAttachedDevices(client: Client, accountId: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM devices WHERE account_id = $1 AND relay_id IS NOT NULL AND deleted_at IS NULL ORDER BY name',
    [accountId],
  )
  return rows.map(({ name }) => name)
}

/**
 * Returns the names of devices whose agents have connected to the source after their rows were copied, even if they are
 * disconnected again. The target must not have accepted connections yet.
 */
export async function readReconnected(source: Client, target: Client, accountId: string): Promise<string[]> {
  const [before, now] = [await readEpochs(target, accountId), await readEpochs(source, accountId)]
  return now
    .filter(({ id, epoch }) => !before.some((one) => one.id === id && one.epoch === epoch))
    .map(({ name }) => name)
}

async function readEpochs(client: Client, accountId: string): Promise<{ id: string; name: string; epoch: string }[]> {
  const { rows } = await client.query<{ id: string; name: string; epoch: string }>(
    'SELECT id, name, conn_epoch::text AS epoch FROM devices WHERE account_id = $1 ORDER BY name',
    [accountId],
  )
  return rows
}

/** The keys of the newest message and the newest received message of an account. */
export type NewestKeys = readonly [bigint, bigint]

export async function readNewest(client: Client, accountId: string): Promise<NewestKeys> {
  const { rows } = await client.query<{ message: string; received: string }>(
    `SELECT (SELECT coalesce(max(key), 0)::text FROM messages WHERE account_id = $1) AS message,
       (SELECT coalesce(max(key), 0)::text FROM inbox WHERE account_id = $1) AS received`,
    [accountId],
  )
  return [BigInt(rows[0]?.message ?? 0), BigInt(rows[0]?.received ?? 0)]
}

/** Waits until the source has sent its pending notifications to browsers, but not long. */
export async function awaitNotifications(client: Client, accountId: string, limitMs: number): Promise<void> {
  const giveUpAt = performance.now() + limitMs
  for (;;) {
    const { rowCount } = await client.query('SELECT FROM push_notifications WHERE account_id = $1 LIMIT 1', [accountId])
    if (rowCount === 0 || performance.now() > giveUpAt) return
    await sleep(POLL_MS)
  }
}
