import type { Socket } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { ScriptedAgent } from '../../link/testing/scripted-agent.ts'
import { type TestRelay, testRelay } from '../../testing/test-relay.ts'
import { testMessage } from '../testing/new-message.ts'
import { acceptWithinLimits } from './accept-within-limits.ts'

/** The queries of the relay, with their connections. */
const queries = vi.spyOn(pg.Client.prototype, 'query')
const texts = () => queries.mock.calls.map(([query]) => (query as unknown as { readonly text?: string }).text ?? '')

let relay: TestRelay
let agent: ScriptedAgent

beforeAll(async () => {
  // A resume is repeated after one and a half heartbeats.
  relay = await testRelay({ settings: { HEARTBEAT_SECONDS: '4' } })
  const { code } = (await relay.api('POST', '/devices/codes')).json
  agent = new ScriptedAgent({ url: relay.url, identity: { credential: code } }).start()
  await agent.online()
})

afterAll(async () => {
  agent.stop()
  await relay.close()
})

function send(id: string, headers: Record<string, string> = {}) {
  const body = { id, textMessage: { text: 'hello' }, phoneNumbers: ['+4915112345678'], deviceId: agent.deviceId }
  return relay.api('POST', '/messages', { body, headers })
}

const arrivals = (id: string) => agent.commands.filter((one) => one.kind === 'send' && one.messageId === id).length
const arrived = (id: string) => agent.until(() => arrivals(id) > 0)

async function session(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: relay.databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test('the message of an idle device is stored and claimed in one commit', async () => {
  let count = 0
  const isOneCommit = async () => {
    count += 1
    const id = `lone-${count}`
    expect((await send(id)).status).toBe(202)
    await arrived(id)
    const rows = await relay.database.$queryRaw<{ readonly isOneCommit: boolean }[]>`
      SELECT m.xmin = r.xmin AS "isOneCommit" FROM messages m JOIN recipients r ON r.message_key = m.key
      WHERE m.id = ${id}`
    return rows.map((row) => row.isOneCommit)
  }
  // The connection is idle when its first claims have ended.
  await expect.poll(isOneCommit).toEqual([true])
})

test('a message is sent once, if it is committed after the relay has given up and looked for it', async () => {
  const holder = await session()
  await commitLate(holder)
  await holder.query('SELECT pg_advisory_lock(4711)')
  const refused = send('late', { 'idempotency-key': 'late' })
  const pid = await blocked(holder)
  const committing = (queries.mock.contexts as unknown as readonly RelayClient[]).find((one) => one.processID === pid)
  committing?.connection.stream.destroy(Object.assign(new Error('cut'), { code: 'ECONNRESET' }))
  expect((await refused).status).toBe(503)
  const given = texts().length
  const resumed = () => texts().findIndex((text, at) => at >= given && isResume(text))
  await expect.poll(resumed).toBeGreaterThan(0)
  await queries.mock.results[resumed()]?.value
  expect(arrivals('late')).toBe(0)

  await holder.query('SELECT pg_advisory_unlock(4711)')
  await arrived('late')
  const { status, headers } = await send('late', { 'idempotency-key': 'late' })
  expect([status, headers.get('idempotency-replayed')]).toEqual([202, 'true'])
  await send('later')
  await arrived('later')
  expect(arrivals('late')).toBe(1)
})

test('an accept does not wait for an agent that is just connecting, and its message is sent afterwards', async () => {
  const holder = await session()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM devices WHERE id = $1 FOR NO KEY UPDATE', [agent.deviceId])
  const begun = texts().length
  expect((await send('beside')).status).toBe(202)
  expect(arrivals('beside')).toBe(0)
  // A wait would have failed, and the message would have been stored again.
  expect(texts().filter((text, at) => at >= begun && text.includes('INSERT INTO messages'))).toHaveLength(1)
  await holder.query('COMMIT')
  await arrived('beside')
})

test('a message that waits for its duplicate begins a claim once, and not while it is tried alone', async () => {
  const holder = await session()
  await holder.query('BEGIN')
  await holder.query(`INSERT INTO messages (account_id, id, device_id, created_at, sent_by)
    VALUES ('${relay.account.id}', 'twin', '${agent.deviceId}', now(), 'password')`)
  const claims: string[] = []
  const failed = Promise.withResolvers<void>()
  const accept = acceptWithinLimits(relay.database, (deviceId) => {
    claims.push(deviceId)
    return {
      start: async () => [],
      settle: (committed) => void committed.catch(() => failed.resolve()),
    }
  })
  const { deviceId } = agent
  const outcome = accept(testMessage('twin', { accountId: relay.account.id, deviceId }))
  await failed.promise
  await blocked(holder)
  await holder.query('ROLLBACK')
  expect(await outcome).toEqual({ kind: 'accepted' })
  expect(claims).toEqual([deviceId])
})

test('a message reaches the agent although a command that was claimed with it cannot be decrypted', async () => {
  const holder = await session()
  await holder.query(`
    CREATE FUNCTION add_command() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO device_commands (cmd_id, device_id, account_id, command) VALUES (NEW.id, NEW.device_id, NEW.account_id,
        jsonb_build_object('kind', 'enter-pin', 'cmdId', NEW.id, 'simNumber', 1, 'pin', 'v1:damaged'));
      RETURN NULL;
    END $$;
    CREATE TRIGGER add_command AFTER INSERT ON messages
      FOR EACH ROW WHEN (NEW.id LIKE 'pin-%') EXECUTE FUNCTION add_command()`)
  let count = 0
  const isOneCommit = async () => {
    count += 1
    const id = `pin-${count}`
    expect((await send(id)).status).toBe(202)
    await arrived(id)
    const { rows } = await holder.query(
      'SELECT m.xmin = c.xmin AS "isOneCommit" FROM messages m JOIN device_commands c ON c.cmd_id = m.id WHERE m.id = $1',
      [id],
    )
    return rows
  }
  await expect.poll(isOneCommit).toEqual([{ isOneCommit: true }])
})

test('a message is sent once, if the agent reconnects while the message is being committed', async () => {
  const holder = await session()
  await commitLate(holder)
  const isOneCommit = async (id: string) =>
    (
      await holder.query(
        'SELECT m.xmin = r.xmin AS same FROM messages m JOIN recipients r ON r.message_key = m.key WHERE m.id = $1',
        [id],
      )
    ).rows[0]?.same
  let count = 0
  const reconnects = async () => {
    count += 1
    const id = `late-${count}`
    await holder.query('SELECT pg_advisory_lock(4711)')
    const accepted = send(id)
    const pid = await blocked(holder)
    const { length } = agent.welcomes
    agent.cut()
    // If the connection was not idle, the message is not claimed yet, and the agent need not wait.
    const waitsOrIsWelcome = async () =>
      agent.welcomes.length > length ||
      (await holder.query('SELECT FROM pg_locks WHERE $1::int = ANY (pg_blocking_pids(pid))', [pid])).rowCount !== 0
    await expect.poll(waitsOrIsWelcome).toBe(true)
    await holder.query('SELECT pg_advisory_unlock(4711)')
    expect((await accepted).status).toBe(202)
    await arrived(id)
    await agent.online()
    await send(`after-${count}`)
    await arrived(`after-${count}`)
    expect(arrivals(id)).toBe(1)
    return await isOneCommit(id)
  }
  await expect.poll(reconnects).toBe(true)
})

interface RelayClient {
  readonly processID: number
  readonly connection: { readonly stream: Socket }
}

/** Lets messages whose id begins with `late` be committed only when nobody holds the lock 4711. */
async function commitLate(holder: pg.Client): Promise<void> {
  await holder.query(`
    CREATE OR REPLACE FUNCTION commit_late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM set_config('lock_timeout', '0', true);
      PERFORM pg_advisory_xact_lock(4711);
      RETURN NULL;
    END $$;
    DROP TRIGGER IF EXISTS commit_late ON messages;
    CREATE CONSTRAINT TRIGGER commit_late AFTER INSERT ON messages DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.id LIKE 'late%') EXECUTE FUNCTION commit_late()`)
}

const isResume = (text: string) => text.includes('cancel_dispatched_at IS NOT NULL')

/** Waits until another session waits for a lock of this one. Returns the process of the other session. */
async function blocked(holder: pg.Client): Promise<number> {
  const pidOf = async () =>
    (await holder.query('SELECT pid FROM pg_locks WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))')).rows[0]?.pid
  await expect.poll(pidOf).toBeDefined()
  return await pidOf()
}
