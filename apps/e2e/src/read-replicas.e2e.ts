// A relay with a primary and a read replica, which are two real servers. Only requests with `Cache-Control: max-stale`
// may be answered by the replica, and then the answer has the header `Age`.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiAnswer, ApiClient, eventually } from './house/api-client.ts'
import { House } from './house/house.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import { type PostgresPair, queryServer, startPostgresPair } from './house/machine/postgres-pair.ts'
import { HouseProcess } from './house/machine/process.ts'

const folder = mkdtempSync(join(tmpdir(), 'smsgw-replicas-'))
let pair: PostgresPair
let house: House
let texts = 0

beforeAll(async () => {
  chmodSync(folder, 0o755)
  pair = await startPostgresPair(folder)
  house = await House.start({
    modems: [{}],
    relay: { DATABASE_URL: pair.primaryUrl, DATABASE_REPLICA_URL: pair.standbyUrl, METRICS_TOKEN: TOKEN },
  })
})

afterAll(async () => {
  await house?.stop()
  await pair?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const TOKEN = 'metrics-of-the-test'

const ask = (path: string, cacheControl?: string, api = house.api): Promise<ApiAnswer> =>
  api.ask('GET', path, undefined, cacheControl === undefined ? {} : { 'Cache-Control': cacheControl })

/** Returns the age that the answer of a replica has; undefined for an answer of the primary. */
function ageOf({ status, headers }: ApiAnswer): number | undefined {
  expect(status).toBe(200)
  const age = headers.get('age')
  return age === null ? undefined : Number(age)
}

async function send(): Promise<string> {
  texts += 1
  return await house.api.send({ phoneNumbers: ['+447400123456'], textMessage: { text: `text ${texts}` } })
}

/** Waits until the replica answers requests that allow data of the last ten seconds. */
const untilReplicaAnswers = () =>
  eventually(
    () => ask('/messages', 'max-stale=10'),
    (answer) => ageOf(answer) !== undefined,
  )

const idsOf = ({ json }: ApiAnswer): string[] => json.map(({ id }: { id: string }) => id)

async function metric(name: string): Promise<number> {
  const response = await fetch(`${house.relayUrl}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const line = (await response.text()).split('\n').find((one) => one.startsWith(name))
  return Number(line?.split(' ').at(-1))
}

/** Returns the password. */
async function addAccount(username: string): Promise<string> {
  const settings = { ...house.secrets, DATABASE_URL: pair.primaryUrl }
  const command = new HouseProcess('accounts', mainScripts.relay, ['accounts', 'add', username, '--generate'], settings)
  expect(await command.ended()).toBe(0)
  return /password: (\S+)/.exec(command.lines.join('\n'))?.[1] ?? ''
}

/** Applies no more changes to the replica during the work. */
async function whilePaused(work: () => Promise<void>): Promise<void> {
  await queryServer(pair.standbyUrl, 'SELECT pg_wal_replay_pause()')
  const stateOf = async () =>
    (await queryServer(pair.standbyUrl, 'SELECT pg_get_wal_replay_pause_state() AS state'))[0]?.['state']
  await eventually(stateOf, (state) => state === 'paused')
  try {
    await work()
  } finally {
    await queryServer(pair.standbyUrl, 'SELECT pg_wal_replay_resume()')
  }
}

test('each list and search can be answered by the replica, and only if the caller allows it', async () => {
  const id = await send()
  await house.api.until(id, ({ state }) => state === 'Delivered')
  await untilReplicaAnswers()
  const webhook = await house.api.ask('POST', '/webhooks', { url: 'https://example.org/hook', event: 'sms:sent' })
  expect(webhook.status).toBe(201)
  const [device] = (await ask('/devices')).json
  for (const path of [
    '/messages',
    `/messages/${id}/timeline`,
    '/conversations',
    '/conversations?q=text',
    '/conversations/+447400123456',
    '/inbox',
    `/devices/${device.id}/telemetry`,
    `/webhooks/${webhook.json.id}/deliveries`,
    '/statistics?period=hour',
    '/logs',
  ]) {
    const stale = await eventually(
      () => ask(path, 'max-stale=10'),
      (answer) => ageOf(answer) !== undefined,
    )
    expect(ageOf(stale), path).toBeLessThanOrEqual(10)
    expect(ageOf(await ask(path)), path).toBeUndefined()
    expect(ageOf(await ask(path, 'no-cache, max-stale')), path).toBeUndefined()
  }
})

test('a single message, settings and accounts always come from the primary', async () => {
  const id = await send()
  await untilReplicaAnswers()
  for (const path of [`/messages/${id}`, '/devices', '/settings', '/webhooks', '/keys'])
    expect(ageOf(await ask(path, 'max-stale')), path).toBeUndefined()
})

test('the answer is never older than the caller allows, although the replica is paused', async () => {
  await untilReplicaAnswers()
  await whilePaused(async () => {
    const id = await send()
    await sleep(3_000)
    expect(idsOf(await ask('/messages'))).toContain(id)
    const bounded = await ask('/messages', 'max-stale=2')
    expect(ageOf(bounded)).toBeUndefined()
    expect(idsOf(bounded)).toContain(id)
    const any = await ask('/messages', 'max-stale')
    expect(ageOf(any)).toBeGreaterThanOrEqual(3)
    expect(idsOf(any)).not.toContain(id)
    // An id that the replica does not have yet.
    expect(ageOf(await ask(`/messages/${id}/timeline`, 'max-stale'))).toBeUndefined()
    expect(await metric('smsgw_replica_age_seconds')).toBeGreaterThanOrEqual(3)
    expect(await metric('smsgw_replica_reads_total{result="behind"}')).toBeGreaterThanOrEqual(1)
    expect(await metric('smsgw_replica_reads_total{result="incomplete"}')).toBeGreaterThanOrEqual(1)
  })
  await untilReplicaAnswers()
})

test('a replica that is cut off from the primary counts as behind, although it answers', async () => {
  await untilReplicaAnswers()
  const stop = `ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=1'`
  const [before] = await queryServer(pair.standbyUrl, `SELECT current_setting('primary_conninfo') AS origin`)
  await queryServer(pair.standbyUrl, stop)
  await queryServer(pair.standbyUrl, 'SELECT pg_reload_conf()')
  try {
    await eventually(
      () => ask('/messages', 'max-stale=2'),
      (answer) => ageOf(answer) === undefined,
    )
    await sleep(2_500)
    expect(ageOf(await ask('/messages', 'max-stale=2'))).toBeUndefined()
    expect(ageOf(await ask('/messages', 'max-stale'))).toBeGreaterThanOrEqual(2)
  } finally {
    await queryServer(pair.standbyUrl, `ALTER SYSTEM SET primary_conninfo = '${before?.['origin']}'`)
    await queryServer(pair.standbyUrl, 'SELECT pg_reload_conf()')
  }
  await untilReplicaAnswers()
})

test('callers see only their own messages on the replica', async () => {
  await send()
  await untilReplicaAnswers()
  const api = new ApiClient(house.relayUrl, { username: 'other', password: await addAccount('other') })
  const answer = await eventually(
    () => ask('/messages', 'max-stale=10', api),
    (found) => ageOf(found) !== undefined,
  )
  expect(answer.json).toEqual([])
})

test('a replica that stops answering delays requests in progress and nothing else', async () => {
  await untilReplicaAnswers()
  const unfreeze = pair.standby.freeze()
  try {
    const start = performance.now()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/messages', 'max-stale=60')))
    const firstMs = performance.now() - start
    for (const answer of answers) expect(ageOf(answer)).toBeUndefined()
    // The check of the replica fails within 1.5 s. The rest is for a busy machine.
    expect(firstMs).toBeLessThan(4_500)
    const again = performance.now()
    expect(ageOf(await ask('/messages', 'max-stale=60'))).toBeUndefined()
    expect(performance.now() - again).toBeLessThan(1_000)
    expect(await metric('smsgw_replica_age_seconds')).toBeNaN()
  } finally {
    unfreeze()
  }
  await untilReplicaAnswers()
})

test('no request fails while the replica is killed and comes back', async () => {
  await untilReplicaAnswers()
  let isOver = false
  const ages: (number | undefined)[] = []
  const reading = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!isOver) ages.push(ageOf(await ask('/messages', 'max-stale=60')))
    }),
  )
  await pair.standby.killWhile(async () => {
    await sleep(2_000)
    expect(ageOf(await ask('/messages', 'max-stale=60'))).toBeUndefined()
  })
  await untilReplicaAnswers()
  isOver = true
  await reading
  expect(ages.length).toBeGreaterThan(20)
  expect(ages).toContain(undefined)
})
