// PostgreSQL with a synchronous standby. The primary is killed while messages are sent, and the standby takes over.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { House } from './house/house.ts'
import { queryServer, startPostgresPair } from './house/machine/postgres-pair.ts'
import type { PostgresServer } from './house/machine/postgres-server.ts'

const COUNT = 60

interface Pair {
  readonly primary: PostgresServer
  readonly standbyUrl: string
  readonly house: House
}

let stopPair: () => Promise<void> = async () => undefined
afterEach(() => stopPair())

/** Starts a relay, an agent and modems on a primary with its synchronous standby. */
async function startPair(): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-failover-'))
  stopPair = async () => rmSync(folder, { recursive: true, force: true })
  chmodSync(folder, 0o755)
  const { primary, primaryUrl, standbyUrl, stop } = await startPostgresPair(folder)
  stopPair = async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
  await queryServer(primaryUrl, `ALTER SYSTEM SET synchronous_standby_names = 'standby'`)
  await queryServer(primaryUrl, 'SELECT pg_reload_conf()')
  const stateOf = async () =>
    (await queryServer(primaryUrl, 'SELECT sync_state AS state FROM pg_stat_replication'))[0]?.['state']
  await eventually(stateOf, (state) => state === 'sync')
  const { port: standbyPort } = new URL(standbyUrl)
  const DATABASE_URL = primaryUrl.replace('@', `@127.0.0.1:${standbyPort},`)
  const house = await House.start({ modems: [{}, {}], relay: { DATABASE_URL } })
  const stopServers = stopPair
  stopPair = async () => {
    await house.stop()
    await stopServers()
  }
  return { primary, standbyUrl, house }
}

/** Sends a message as a careful program does: repeats the request with the same key until it is accepted. */
async function send(house: House, text: string): Promise<string> {
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

test.each([
  ['is killed', (primary: PostgresServer) => primary.kill()],
  // The commits of this primary wait forever for the standby, although the primary claims to accept writes.
  ['continues without a standby', async () => undefined],
])('each accepted message is sent once, although the primary %s and the standby replaces it', async (_, end) => {
  const { primary, standbyUrl, house } = await startPair()
  const accepted = new Map<string, string>()
  const texts = Array.from({ length: COUNT }, (_, at) => `text ${at}`)
  const queue = [...texts]
  const workers = Array.from({ length: 3 }, async () => {
    for (let text = queue.shift(); text !== undefined; text = queue.shift()) accepted.set(text, await send(house, text))
  })
  await eventually(
    () => accepted.size,
    (size) => size >= COUNT / 3,
  )
  await end(primary)
  await queryServer(standbyUrl, 'SELECT pg_promote()')
  await Promise.all(workers)
  for (const id of accepted.values())
    await house.api.until(id, ({ state }) => state === 'Sent' || state === 'Delivered')
  expect(house.relay.isOver).toBe(false)
  const onAir = house.emulator.ledger().map(({ text }) => text)
  expect(onAir.toSorted()).toEqual(texts.toSorted())
})
