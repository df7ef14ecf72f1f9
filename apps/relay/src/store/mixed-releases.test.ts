// During a rolling upgrade the first new relay migrates the database while relays of the previous release still write
// to it. The statements here are from the release before migration 0010. Do not change them, because that release does
// not change.
import { randomBytes } from 'node:crypto'
import type { Capability } from '@smsgw/contract/link/frame'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { claimCommands } from '../link/dispatch/claim-commands-statement.ts'
import { findDevicesWithWork } from '../link/dispatch/find-work-statement.ts'
import { type DispatchWorld, dispatchWorld } from '../link/testing/dispatch-world.ts'
import { ScriptedAgent } from '../link/testing/scripted-agent.ts'
import { systemRandom } from '../random.ts'
import { emptyDatabase, useTestDatabase } from '../testing/test-database.ts'
import { type TestAccount, type TestRelay, testRelay } from '../testing/test-relay.ts'
import { readDue } from '../webhooks/delivery/read-due-statement.ts'
import { recordAttempts } from '../webhooks/delivery/record-attempts-statement.ts'
import { correctStoredTimes } from './clock/correct-stored-times-statement.ts'
import { checkInstallation } from './installation.ts'
import { migrate, readMigrations } from './migrations/migrate.ts'
import { migrationsFolder } from './migrations/migrations-folder.ts'
import { secretBox } from './secret-box.ts'

const store = useTestDatabase()
let old: Client
let world: DispatchWorld

beforeAll(async () => {
  old = new Client({ connectionString: store.url })
  await old.connect()
})

beforeEach(async () => {
  world = await dispatchWorld(store.database)
})

afterAll(async () => {
  await old.end()
})

describe('a message that the previous release accepts', () => {
  const later = () => new Date(world.now.getTime() + 60_000)

  async function accept(id: string, scheduleAt?: Date): Promise<void> {
    const message = [id, world.now, scheduleAt ?? null]
    const { rows } = await old.query(
      `INSERT INTO messages (account_id, id, device_id, created_at, text, is_encrypted, with_delivery_report, schedule_at)
       VALUES ('account', $1, 'device', $2, 'hello', false, true, $3) RETURNING key`,
      message,
    )
    await old.query(
      `INSERT INTO recipients (cmd_id, message_key, account_id, device_id, position, phone_number, priority, due_at,
         valid_until)
       VALUES ($1, $2, 'account', 'device', 0, '+447700900123', 0, coalesce($4::timestamptz, $3::timestamptz), NULL)`,
      [`${id}/0`, rows[0]?.key, world.now, scheduleAt ?? null],
    )
  }

  test('a message that the previous release accepts is sent at its scheduled time, and not before', async () => {
    const { connection } = await world.connect()
    const plenty = { sends: 10, urgentSends: 10, others: 10 }
    const claim = () => claimCommands(store.database, connection, plenty, world.now)
    await accept('scheduled', later())
    expect(await findDevicesWithWork(store.database, 'relay', world.now)).toEqual([])
    expect(await claim()).toEqual([])
    world.pass(60)
    expect(await findDevicesWithWork(store.database, 'relay', world.now)).toEqual(['device'])
    expect(await claim()).toMatchObject([{ cmdId: 'scheduled/0' }])
  })

  test('a message that the previous release accepts is sent at once if it is not scheduled', async () => {
    const { connection } = await world.connect()
    await accept('now')
    const plenty = { sends: 10, urgentSends: 10, others: 10 }
    expect(await claimCommands(store.database, connection, plenty, world.now)).toMatchObject([{ cmdId: 'now/0' }])
  })

  test('a message that the previous release accepts is corrected in the queue after the clock was set back, and keeps its scheduled time', async () => {
    await checkInstallation(store.database, secretBox(randomBytes(32).toString('base64'), systemRandom), systemRandom)
    const ahead = new Date(Date.now() + 3_600_000)
    world.pass((ahead.getTime() - world.now.getTime()) / 1000)
    await accept('now')
    await accept('scheduled', later())
    await correctStoredTimes(store.database, 3_600_000)
    expect((await world.recipient('now/0')).dueAt.getTime()).toBeLessThan(ahead.getTime() - 3_500_000)
    expect((await world.recipient('scheduled/0')).dueAt).toEqual(later())
  })
})

test('a redelivery that the previous release requests during an attempt starts a new schedule', async () => {
  await world.webhook('sms:sent')
  const { key: webhookKey } = await store.database.webhook.update({
    where: { accountId_id: { accountId: 'account', id: 'account sms:sent' } },
    data: { servedBy: 1, servedUntil: new Date(Date.now() + 60_000) },
  })
  await store.database.webhookDelivery.create({
    data: { id: 'd', webhookKey, accountId: 'account', deviceId: 'device', event: 'sms:sent', payload: {} },
  })
  const [read] = await readDue(store.database, 1, new Map([[webhookKey, 10]]), [])
  if (read === undefined) throw new Error('the delivery is not due')
  await old.query(`UPDATE webhook_deliveries SET state = 'waiting', attempts = 0, next_attempt_at = now(),
    finished_at = NULL WHERE key = ${read.key}`)
  const result = { url: 'https://example.com', address: undefined, status: 200, error: undefined, excerpt: undefined }
  const attempt = { ...result, startedAt: new Date(), durationMs: 1, state: 'delivered', pauseMs: 0 } as const
  await recordAttempts(store.database, [{ ...attempt, key: read.key, version: read.version, event: 'sms:sent' }])
  const after = await store.database.webhookDelivery.findUniqueOrThrow({ where: { key: read.key } })
  expect(after).toMatchObject({ state: 'waiting', attempts: 0, tries: 1 })
})

describe('a webhook that the previous release writes', () => {
  let relay: TestRelay
  let oldRelay: Client
  let account: TestAccount
  let secretSealed: string
  let token: string

  beforeAll(async () => {
    relay = await testRelay()
    oldRelay = new Client({ connectionString: relay.databaseUrl })
    await oldRelay.connect()
  })

  beforeEach(async () => {
    account = await relay.addAccount()
    const body = { scopes: ['webhooks:write', 'webhooks:list'] }
    const { json } = await relay.api('POST', '/auth/token', { auth: account.basic, body })
    token = `Bearer ${json.access_token}`
    const other = { url: 'https://other.invalid/', event: 'system:ping' }
    await relay.api('POST', '/webhooks', { auth: account.basic, body: other })
    secretSealed = (await relay.database.webhook.findFirstOrThrow({ where: { accountId: account.id } })).secretSealed
  })

  afterAll(async () => {
    await oldRelay.end()
    await relay.close()
  })

  async function register(url: string): Promise<void> {
    await oldRelay.query(
      `INSERT INTO webhooks (account_id, id, url, event, device_id, secret_sealed)
       VALUES ($1, 'w1', $2, 'sms:received', NULL, $3)
       ON CONFLICT (account_id, id) DO UPDATE SET url = excluded.url, event = excluded.event,
         device_id = excluded.device_id, updated_at = now(), disabled_at = NULL, disabled_reason = NULL,
         failing_since = NULL, paused_until = NULL, pauses = 0`,
      [account.id, url, secretSealed],
    )
  }

  /** Stores an event and a failed attempt. */
  async function deliver(id: string): Promise<void> {
    const { rows } = await oldRelay.query(
      `INSERT INTO webhook_deliveries (webhook_key, account_id, id, device_id, event, payload, state, finished_at)
       SELECT key, account_id, $2, $3, event, '{"message":"code 123456"}', 'failed', now()
       FROM webhooks WHERE account_id = $1 AND id = 'w1'
       ON CONFLICT (webhook_key, id) DO NOTHING RETURNING key`,
      [account.id, id, 'd'.repeat(21)],
    )
    await oldRelay.query(
      `INSERT INTO webhook_attempts (delivery_key, number, started_at, duration_ms, address, status, error, excerpt)
       VALUES ($1, 1, now(), 12, '192.0.2.1', 500, NULL, 'sorry')`,
      [rows[0]?.key],
    )
    await oldRelay.query('UPDATE webhook_deliveries SET tries = 1 WHERE key = $1', [rows[0]?.key])
  }

  const redeliver = async (id: string) =>
    (await relay.api('POST', `/webhooks/deliveries/${id}/redeliver`, { auth: token })).status

  test('a webhook that the previous release writes has only the event that this release wrote last', async () => {
    const register = (event: string) =>
      oldRelay.query(
        `INSERT INTO webhooks (account_id, id, url, event, secret_sealed) VALUES ($1, 'w', 'https://x.invalid/', $2, $3)
         ON CONFLICT (account_id, id) DO UPDATE SET event = excluded.event`,
        [account.id, event, secretSealed],
      )
    const events = async () => {
      const { json } = await relay.api('GET', '/webhooks', { auth: account.basic })
      return json.find(({ id }: { id: string }) => id === 'w').events
    }
    await register('sms:sent')
    expect(await events()).toEqual(['sms:sent'])
    const body = { events: ['sms:sent', 'sms:failed'] }
    await relay.api('PATCH', '/webhooks/w', { auth: account.basic, body })
    expect(await events()).toEqual(['sms:sent', 'sms:failed'])
    await register('sms:received')
    expect(await events()).toEqual(['sms:received'])
  })

  test('a webhook that the previous release writes keeps the time at which its URL was written, so older events require the scopes to read them', async () => {
    await register('https://old.invalid/')
    await deliver(`${account.id}-1`)
    expect(await redeliver(`${account.id}-1`)).toBe(202)
    await register('https://old.invalid/')
    expect(await redeliver(`${account.id}-1`)).toBe(202)
    await register('https://new.invalid/')
    expect(await redeliver(`${account.id}-1`)).toBe(403)
    await deliver(`${account.id}-2`)
    expect(await redeliver(`${account.id}-2`)).toBe(202)
  })

  test('a webhook that the previous release writes shows its deliveries and attempts', async () => {
    await register('https://old.invalid/')
    await deliver(`${account.id}-3`)
    const { json } = await relay.api('GET', '/webhooks/w1/deliveries', { auth: token })
    expect(json).toMatchObject([{ state: 'failed', attempts: [{ number: 1, status: 500 }] }])
  })
})

describe('a token that a relay of the previous release handles', () => {
  let relay: TestRelay
  let oldRelay: Client

  beforeAll(async () => {
    relay = await testRelay()
    oldRelay = new Client({ connectionString: relay.databaseUrl })
    await oldRelay.connect()
  })

  afterAll(async () => {
    await oldRelay.end()
    await relay.close()
  })

  interface Pair {
    readonly id: string
    readonly access_token: string
    readonly refresh_token: string
  }

  async function issue(by?: Pair, ttl = 3_600): Promise<Pair> {
    const body = { scopes: ['tokens:manage', 'logs:read'], ttl }
    const auth = by ? `Bearer ${by.access_token}` : relay.account.basic
    return (await relay.api('POST', '/auth/token', { auth, body })).json
  }

  const statusesOf = async (pair: Pair) => [
    (await relay.api('GET', '/logs', { auth: `Bearer ${pair.access_token}` })).status,
    (await relay.api('POST', '/auth/token/refresh', { auth: `Bearer ${pair.refresh_token}` })).status,
    (await relay.api('POST', '/auth/token', { auth: `Bearer ${pair.access_token}`, body: { scopes: ['logs:read'] } }))
      .status,
  ]
  const listed = async () => (await relay.api('GET', '/tokens')).json.map(({ id }: { id: string }) => id)

  test('a token that a relay of the previous release handles is revoked with all tokens that were issued with it', async () => {
    const parent = await issue()
    const child = await issue(parent)
    const grandchild = await issue(child)
    await oldRelay.query(
      `UPDATE token_families f SET revoked_at = COALESCE(f.revoked_at, now())
         FROM tokens t
        WHERE t.jti = $1 AND t.account_id = $2 AND f.id = t.family_id
       RETURNING f.id`,
      [parent.id, relay.account.id],
    )
    for (const pair of [parent, child, grandchild]) await expect.poll(() => statusesOf(pair)).toEqual([401, 401, 401])
    for (const { id } of [parent, child, grandchild]) expect(await listed()).not.toContain(id)
  })

  test('a token that a relay of the previous release handles ends with the token with which it was issued, even if a refresh made its lifetime longer', async () => {
    const child = await issue(await issue(undefined, 60))
    const { access_token: access, ...rest } = (
      await relay.api('POST', '/auth/token/refresh', { auth: `Bearer ${child.refresh_token}` })
    ).json
    const pair = { access_token: access, ...rest }
    // The previous release refreshes a token without checking the end of its family. To save time, the test changes
    // this end.
    await oldRelay.query(
      `UPDATE token_families SET ends_at = now() WHERE id = (SELECT family_id FROM tokens WHERE jti = $1)`,
      [pair.id],
    )
    await oldRelay.query(
      `UPDATE token_families f SET expires_at = GREATEST(f.expires_at, now() + interval '30 days')
       WHERE f.id = (SELECT family_id FROM tokens WHERE jti = $1) AND f.revoked_at IS NULL`,
      [pair.id],
    )
    await expect.poll(() => statusesOf(pair)).toEqual([401, 401, 401])
    expect(await listed()).not.toContain(pair.id)
  })

  test('a token that a relay of the previous release handles is valid if it was issued with the password', async () => {
    const { rows } = await oldRelay.query(
      `INSERT INTO token_families (id, account_id, scopes, created_at, expires_at)
       VALUES ('family', $1, ARRAY['logs:read'], now(), now() + interval '30 days') RETURNING id, account_id`,
      [relay.account.id],
    )
    const pair = await issue()
    await oldRelay.query('UPDATE tokens SET family_id = $1 WHERE jti = $2', [rows[0]?.id, pair.id])
    expect((await relay.api('GET', '/logs', { auth: `Bearer ${pair.access_token}` })).status).toBe(200)
  })
})

describe('an encrypted data message', () => {
  let relay: TestRelay
  let oldRelay: Client
  const agents: ScriptedAgent[] = []

  beforeAll(async () => {
    relay = await testRelay()
    oldRelay = new Client({ connectionString: relay.databaseUrl })
    await oldRelay.connect()
  })

  afterAll(async () => {
    for (const agent of agents) agent.stop()
    await oldRelay.end()
    await relay.close()
  })

  async function pair(capabilities: readonly Capability[] = []): Promise<ScriptedAgent> {
    const { json } = await relay.api('POST', '/devices/codes')
    const agent = new ScriptedAgent({ url: relay.url, identity: { credential: json.code }, capabilities }).start()
    agents.push(agent)
    await expect.poll(() => agent.phase).toBe('online')
    return agent
  }

  const encrypted = (octets: number) =>
    `$aes-256-cbc/pbkdf2-sha1$i=1000$${'A'.repeat(22)}==$${Buffer.alloc(octets).toString('base64')}`

  async function send(deviceId?: string) {
    const dataMessage = { data: encrypted(32), port: 5000 }
    const body = { phoneNumbers: [encrypted(16)], isEncrypted: true, dataMessage, deviceId }
    const { status, json } = await relay.api('POST', '/messages', { body })
    return status === 202 ? json.deviceId : [status, json.message]
  }

  const refused = [400, expect.stringContaining('cannot be sent encrypted, because the agent is too old')]

  test('an encrypted data message is refused while the account has only agents of the previous release, and is sent to a newer agent', async () => {
    const old = await pair()
    expect(await send()).toEqual(refused)
    const { deviceId } = await pair(['encrypted-data'])
    expect(await send()).toBe(deviceId)
    expect(await send(old.deviceId)).toEqual(refused)
  })

  test('an encrypted data message is refused when the agent is connected to a relay of the previous release', async () => {
    const { deviceId } = await pair(['encrypted-data'])
    expect(await send(deviceId)).toBe(deviceId)
    agents.at(-1)?.stop() // otherwise, the agent would connect to this relay again
    await oldRelay.query(
      `UPDATE devices SET conn_epoch = conn_epoch + 1, relay_id = 'old', lease_until = now() + interval '1 minute',
         last_seen = now(), connected_at = now(), boot_id = 'boot', agent_version = '0.1.0' WHERE id = $1`,
      [deviceId],
    )
    await expect.poll(() => send(deviceId)).toEqual(refused)
  })

  test('an encrypted data message is accepted for a device that the previous release has paired and that has never connected', async () => {
    const id = 'p'.repeat(21)
    await oldRelay.query(
      `INSERT INTO devices (id, account_id, name, public_key, created_at, updated_at, last_seen)
       VALUES ($1, $2, 'Pi', 'key', now(), now(), now())`,
      [id, relay.account.id],
    )
    expect(await send(id)).toBe(id)
  })
})

describe('the schema', () => {
  interface Column {
    readonly name: string
    readonly isOptional: boolean
  }

  async function columnsOf(url: string): Promise<Column[]> {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      const { rows } = await client.query<Column>(
        `SELECT table_name || '.' || column_name AS name, is_nullable = 'YES' OR column_default IS NOT NULL AS "isOptional"
           FROM information_schema.columns WHERE table_schema = current_schema() AND table_name <> '_prisma_migrations'`,
      )
      return rows
    } finally {
      await client.end()
    }
  }

  test('every column of the previous release is kept, and the previous release may leave out new columns', async () => {
    const before = await emptyDatabase()
    const after = await emptyDatabase()
    try {
      const migrations = readMigrations(migrationsFolder())
      const first = migrations.filter(({ name }) => name < '0010')
      await migrate(before.url, first)
      await migrate(after.url, migrations)
      const old = new Set((await columnsOf(before.url)).map(({ name }) => name))
      const tables = new Set([...old].map((name) => name.split('.')[0]))
      const present = await columnsOf(after.url)
      const names = new Set(present.map(({ name }) => name))
      expect([...old].filter((name) => !names.has(name))).toEqual([])
      const added = present.filter(({ name }) => !old.has(name) && tables.has(name.split('.')[0]))
      expect(added.map(({ name }) => name)).toContain('recipients.not_before')
      expect(added.filter(({ isOptional }) => !isOptional).map(({ name }) => name)).toEqual([])
    } finally {
      await before.close()
      await after.close()
    }
  })
})
