// Shows that streams and other long requests end when their client loses access, over HTTP with two relays on one
// database.
import { liveEventsEnd } from '@smsgw/contract/live/live-event'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { changePassword } from '../accounts/change-password.ts'
import { removeAccount } from '../accounts/remove-account.ts'
import { systemClock } from '../clock.ts'
import { LEASE_MS } from '../link/claim/lease.ts'
import { systemRandom } from '../random.ts'
import { secretBox } from '../store/secret-box.ts'
import { type TestAccount, type TestRelay, testRelay } from '../testing/test-relay.ts'
import { type ReadStream, readEventStream } from './testing/read-event-stream.ts'

const SERVER_SECRET = 'kJ8sn3Vx91mQpZt7bRwYcLd4HfGaEu2q'
const box = secretBox(SERVER_SECRET, systemRandom)
const clock = { aheadMs: 0, now: () => new Date(Date.now() + clock.aheadMs) }
let here: TestRelay
let there: TestRelay
let owner: TestAccount
const streams: ReadStream[] = []

beforeAll(async () => {
  here = await testRelay({ settings: { SERVER_SECRET }, clock })
  there = await testRelay({ settings: { SERVER_SECRET, DATABASE_URL: here.databaseUrl }, clock })
})
afterAll(async () => {
  await there.close()
  await here.close()
})
beforeEach(async () => {
  owner = await here.addAccount()
})
afterEach(async () => {
  clock.aheadMs = 0
  await Promise.all(streams.splice(0).map((stream) => stream.close()))
})

/** Opens a stream on each relay and waits until both streams have started. */
async function watchOnBoth(headers: Readonly<Record<string, string>>): Promise<ReadStream[]> {
  const both = [here, there].map(({ url }) => readEventStream(`${url}/3rdparty/v1/events`, headers))
  for (const stream of await Promise.all(both)) {
    expect(stream.status).toBe(200)
    streams.push(stream)
  }
  return streams.slice(-2)
}

/** Returns the last event of each stream after the stream is closed. */
async function endsOf(watched: readonly ReadStream[]): Promise<unknown[]> {
  const ends = await Promise.all(watched.map((stream) => stream.next('end')))
  expect(await Promise.all(watched.map((stream) => stream.next()))).toEqual([undefined, undefined])
  return ends.map((end) => liveEventsEnd.parse(end?.data).code)
}

async function issue(ttl = 3_600) {
  const body = { scopes: ['all:any'], ttl }
  const { json } = await here.api('POST', '/auth/token', { auth: owner.basic, body })
  return { id: json.id as string, auth: `Bearer ${json.access_token}`, refresh: `Bearer ${json.refresh_token}` }
}

async function signIn(): Promise<string> {
  const body = { username: owner.username, password: owner.password }
  const response = await here.api('POST', '/session', { auth: null, body })
  return response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}

const both = <Value>(value: Value) => [value, value]

test('a revoked token ends its streams', async () => {
  const { id, auth } = await issue()
  const watched = await watchOnBoth({ authorization: auth })
  await here.api('DELETE', `/auth/token/${id}`, { auth: owner.basic })
  expect(await endsOf(watched)).toEqual(both('token_revoked'))
})

test('a reused refresh token ends the streams of its family', async () => {
  const { auth, refresh } = await issue()
  const watched = await watchOnBoth({ authorization: auth })
  for (const status of [201, 401])
    expect((await there.api('POST', '/auth/token/refresh', { auth: refresh })).status).toBe(status)
  expect(await endsOf(watched)).toEqual(both('token_revoked'))
})

test('an expired token ends its streams', async () => {
  const { auth } = await issue(60)
  const watched = await watchOnBoth({ authorization: auth })
  clock.aheadMs = 61_000
  expect(await endsOf(watched)).toEqual(both('token_expired'))
})

async function createKey(more: object = {}) {
  const body = { name: 'program', scopes: ['all:any'], ...more }
  const { json } = await here.api('POST', '/keys', { auth: owner.basic, body })
  return { id: json.id as string, auth: `Bearer ${json.key}` }
}

test('a revoked API key ends its streams', async () => {
  const { id, auth } = await createKey()
  const watched = await watchOnBoth({ authorization: auth })
  await here.api('DELETE', `/keys/${id}`, { auth: owner.basic })
  expect(await endsOf(watched)).toEqual(both('key_revoked'))
})

test('an API key that is revoked in the database ends its streams without a hint, within two seconds', async () => {
  const { id, auth } = await createKey()
  const watched = await watchOnBoth({ authorization: auth })
  await here.database.apiKey.update({ where: { id }, data: { revokedAt: new Date() } })
  const began = performance.now()
  expect(await endsOf(watched)).toEqual(both('key_revoked'))
  // The check takes two seconds. The limit allows for a busy machine.
  expect(performance.now() - began).toBeLessThan(10_000)
})

test('a revoked API key ends the streams of its tokens', async () => {
  const { id, auth } = await createKey({ scopes: ['tokens:manage', 'messages:list'] })
  const body = { scopes: ['messages:list'] }
  const { json } = await there.api('POST', '/auth/token', { auth, body })
  const watched = await watchOnBoth({ authorization: `Bearer ${json.access_token}` })
  await here.api('DELETE', `/keys/${id}`, { auth: owner.basic })
  expect(await endsOf(watched)).toEqual(both('token_revoked'))
})

test('an API key that was replaced without overlap ends its streams', async () => {
  const { id, auth } = await createKey()
  const watched = await watchOnBoth({ authorization: auth })
  await here.api('POST', `/keys/${id}/rotate`, { auth: owner.basic, body: { overlapSeconds: 0 } })
  expect(await endsOf(watched)).toEqual(both('key_revoked'))
})

test('an expired API key ends its streams', async () => {
  const { auth } = await createKey({ expiresAt: new Date(Date.now() + 60_000).toISOString() })
  const watched = await watchOnBoth({ authorization: auth })
  clock.aheadMs = 61_000
  expect(await endsOf(watched)).toEqual(both('key_expired'))
})

test('a password change ends streams that used the old password, even after many wrong passwords', async () => {
  const watched = await watchOnBoth({ authorization: owner.basic })
  const wrong = `Basic ${Buffer.from(`${owner.username}:not it`).toString('base64')}`
  for (let guess = 0; guess < 11; guess++) await there.api('GET', '/devices', { auth: wrong })
  const body = { currentPassword: owner.password, newPassword: 'quite another password' }
  expect((await here.api('POST', '/account/password', { auth: owner.basic, body })).status).toBe(204)
  expect(await endsOf(watched)).toEqual(both('password_changed'))
})

test('a password changed by a command ends streams without a hint', async () => {
  const watched = await watchOnBoth({ authorization: owner.basic })
  const change = { password: 'quite another password', keepTokens: false }
  await changePassword({ database: here.database, box, clock: systemClock }, owner, change)
  expect(await endsOf(watched)).toEqual(both('password_changed'))
})

test('signing out ends the streams of the browser', async () => {
  const cookie = await signIn()
  const watched = await watchOnBoth({ cookie })
  const headers = { cookie, origin: here.url }
  expect((await here.api('DELETE', '/session', { auth: null, headers })).status).toBe(204)
  expect(await endsOf(watched)).toEqual(both('session_ended'))
})

test.each(['password', 'token', 'session', 'key'])(
  'deleting an account ends its streams when it is deleted by %s',
  async (kind) => {
    const headers: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
      password: async () => ({ authorization: owner.basic }),
      token: async () => ({ authorization: (await issue()).auth }),
      session: async () => ({ cookie: await signIn() }),
      key: async () => ({ authorization: (await createKey()).auth }),
    }
    const watched = await watchOnBoth((await headers[kind]?.()) ?? {})
    await removeAccount(here.database, systemClock, owner.id)
    expect(await endsOf(watched)).toEqual(both('account_removed'))
  },
)

test('a USSD request ends with its token', async () => {
  const deviceId = owner.id
  await here.database.device.create({
    data: { id: deviceId, accountId: owner.id, name: 'attic', leaseUntil: new Date(Date.now() + LEASE_MS) },
  })
  const { id, auth } = await issue()
  const requested = there.api('POST', `/devices/${deviceId}/ussd`, { auth, body: { code: '*100#' } })
  await expect.poll(() => here.database.deviceCommand.count({ where: { deviceId } })).toBe(1)
  await here.api('DELETE', `/auth/token/${id}`, { auth: owner.basic })
  expect(await requested).toMatchObject({ status: 401, json: { message: expect.stringContaining('revoked') } })
  await expect.poll(() => here.database.deviceCommand.count({ where: { deviceId } })).toBe(0)
})

test('a download ends with its token, even if its client reads nothing for a while', async () => {
  const deviceId = owner.id
  const item = { accountId: owner.id, id: 'mms', deviceId, type: 'MMS', sender: '+1', createdAt: new Date() }
  const { key: inboxKey } = await here.database.inboxItem.create({ data: item })
  await here.database.$executeRaw`
    INSERT INTO inbox_attachments (inbox_key, part_id, position, name, content_type, size, octets)
    VALUES (${inboxKey}, 1, 0, 'a.jpg', 'image/jpeg', 33554432, decode(repeat('ab', 33554432), 'hex'))`
  const { id, auth } = await issue()
  const downloads = await Promise.all(
    [here, there].map(async ({ url }) => {
      const response = await fetch(`${url}/3rdparty/v1/inbox/mms/attachments/1`, { headers: { authorization: auth } })
      expect(response.status).toBe(200)
      const reader = response.body?.getReader()
      await reader?.read()
      return reader
    }),
  )
  // The test does not read the download, so it waits for the end of these streams instead. Requests end in the order in
  // which they began.
  const watched = await watchOnBoth({ authorization: auth })
  await here.api('DELETE', `/auth/token/${id}`, { auth: owner.basic })
  expect(await endsOf(watched)).toEqual(both('token_revoked'))
  const readAll = async (reader: (typeof downloads)[number]) => {
    while (!(await reader?.read())?.done);
  }
  for (const download of downloads) await expect(readAll(download)).rejects.toThrow('terminated')
})
