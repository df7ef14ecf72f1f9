// PostgreSQL with a synchronous standby. The primary is killed while messages are sent, and the standby replaces it.
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { startPostgres } from './house/fleet.ts'
import { House } from './house/house.ts'
import { freePort } from './house/machine/free-port.ts'
import { postgresBinaries } from './house/machine/postgres-binaries.ts'
import { PostgresServer } from './house/machine/postgres-server.ts'

const COUNT = 60
const folder = mkdtempSync(join(tmpdir(), 'smsgw-failover-'))
let primary: PostgresServer
let standby: PostgresServer
let primaryUrl: string
let standbyUrl: string
let house: House

beforeAll(async () => {
  chmodSync(folder, 0o755)
  const started = await startPostgres(folder)
  primary = started.postgres
  primaryUrl = started.url
  await primary.stop()
  const [data, copy] = [join(folder, 'postgres/data'), join(folder, 'standby')]
  execFileSync('cp', ['-a', data, copy])
  execFileSync('cp', ['-a', join(data, 'PG_VERSION'), join(copy, 'standby.signal')])
  const { port, password } = new URL(primaryUrl)
  const origin = `host=127.0.0.1 port=${port} user=smsgw password=${password} application_name=standby`
  appendFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${origin}'\n`)
  const standbyPort = await freePort()
  const binaries = postgresBinaries()
  primary = await PostgresServer.open({ binaries, data, port: Number(port) })
  standby = await PostgresServer.open({ binaries, data: copy, port: standbyPort })
  standbyUrl = primaryUrl.replace(`:${port}/`, `:${standbyPort}/`)
  await query(primaryUrl, `ALTER SYSTEM SET synchronous_standby_names = 'standby'`)
  await query(primaryUrl, 'SELECT pg_reload_conf()')
  const stateOf = async () => (await query(primaryUrl, 'SELECT sync_state AS state FROM pg_stat_replication'))[0]?.state
  await eventually(stateOf, (state) => state === 'sync')
  const DATABASE_URL = `postgresql://smsgw:${password}@127.0.0.1:${standbyPort},127.0.0.1:${port}/smsgw`
  house = await House.start({ modems: [{}, {}], relay: { DATABASE_URL } })
})

afterAll(async () => {
  await house?.stop()
  await primary?.stop()
  await standby?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function query(url: string, sql: string): Promise<{ state?: string }[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Sends a message as a reliable program does: repeats the request with the same key until it is accepted. */
async function send(text: string): Promise<string> {
  const body = { phoneNumbers: ['+447400123456'], textMessage: { text } }
  for (;;) {
    const answer = await house.api
      .ask('POST', '/messages', body, { 'Idempotency-Key': text }, 20_000)
      .catch(() => undefined)
    if (answer?.status === 202) return answer.json.id
    if (answer !== undefined) expect(answer.status).toBe(503)
    await sleep(200)
  }
}

test('each accepted message is sent once, although the primary is killed and the standby replaces it', async () => {
  const accepted = new Map<string, string>()
  const texts = Array.from({ length: COUNT }, (_, at) => `text ${at}`)
  const queue = [...texts]
  const workers = Array.from({ length: 3 }, async () => {
    for (let text = queue.shift(); text !== undefined; text = queue.shift()) accepted.set(text, await send(text))
  })
  await eventually(
    () => accepted.size,
    (size) => size >= COUNT / 3,
  )
  await primary.kill()
  await query(standbyUrl, 'SELECT pg_promote()')
  await Promise.all(workers)
  for (const id of accepted.values())
    await house.api.until(id, ({ state }) => state === 'Sent' || state === 'Delivered')
  expect(house.relay.isOver).toBe(false)
  const onAir = house.emulator.ledger().map(({ text }) => text)
  expect(onAir.toSorted()).toEqual(texts.toSorted())
})
