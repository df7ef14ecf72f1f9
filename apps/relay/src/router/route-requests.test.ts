import { describe, expect, test } from 'vitest'
import { testPhone } from '../mobile/testing/test-phone.ts'
import type { TestAccount, TestRelay } from '../testing/test-relay.ts'
import { callsWithCredentials, useTestCells } from './testing/test-cells.ts'

const world = useTestCells()

const places = [
  ['the first cell', 0],
  ['the second cell', 1],
] as const

async function newAccount(at: 0 | 1): Promise<{ relay: TestRelay; account: TestAccount }> {
  const relay = world.relays[at]
  return { relay, account: await relay.addAccount() }
}

describe.each(places)('an account in %s', (_, at) => {
  test('is reached with each kind of credentials, at once after they were created', async () => {
    const { relay, account } = await newAccount(at)
    for (const [kind, call] of Object.entries(await callsWithCredentials(relay, account))) {
      const { status, json } = await world.api('GET', '/session', call)
      expect([kind, status, json?.username]).toEqual([kind, 200, account.username])
    }
  })

  test('is found by the username in the body of a sign-in', async () => {
    const { account } = await newAccount(at)
    const { username, password } = account
    const { status, headers } = await world.api('POST', '/session', { body: { username, password } })
    expect(status).toBe(200)
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
    expect((await world.api('GET', '/session', { headers: { cookie } })).json.username).toBe(username)
  })

  test('is reached through the interfaces of other products', async () => {
    const { relay, account } = await newAccount(at)
    const { json: key } = await relay.api('POST', '/keys', {
      auth: account.basic,
      body: { name: 'alerts', scopes: ['messages:send'] },
    })
    const query = new URLSearchParams({ access_token: key.key, to: '+447400123456', message: 'hello' })
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const answers = [
      await world.request('GET', `/http_api/send_sms?${query}`),
      await world.request('POST', '/http_api/send_sms', { headers: form, body: String(query) }),
      await world.request('POST', '/jsonrpc/sms', {
        body: { method: 'sms.send_sms', params: { access_token: key.key, to: '+447400123456', message: 'hello' } },
      }),
    ]
    // The account has no device. The answer shows that the login succeeded.
    for (const { text } of answers) expect(text).not.toMatch(/Invalid/)
    const wrong = await world.request('GET', `/http_api/send_sms?${query}`.replace(key.key, 'smsgw_live_x'))
    expect(wrong.text).toMatch(/Invalid access token/)
  })

  test('is reached by its phones, with their token', async () => {
    const { relay, account } = await newAccount(at)
    const routed = { ...relay, request: world.request } as TestRelay
    const phone = await testPhone(routed, account)
    const { status, json } = await world.request('GET', '/mobile/v1/device', { auth: `Bearer ${phone.token}` })
    expect([status, json.device?.id ?? json.id]).toEqual([200, phone.id])
  })

  test('is reached by a phone that registers with a code', async () => {
    const { account } = await newAccount(at)
    const { json: code } = await world.request('GET', '/mobile/v1/user/code', { auth: account.basic })
    const { status } = await world.request('POST', '/mobile/v1/device', {
      auth: `Code ${code.code}`,
      body: { name: 'Pixel' },
    })
    expect(status).toBe(201)
  })
})

test.each([
  ['a username', { auth: `Basic ${Buffer.from('nobody:wrong password').toString('base64')}` }],
  ['an API key', { headers: { 'x-api-key': `smsgw_live_${'x'.repeat(12)}_${'y'.repeat(38)}` } }],
  ['a token', { auth: 'Bearer e30.e30.e30' }],
  ['a session', { headers: { cookie: `smsgw_session=${'s'.repeat(43)}` } }],
  ['nothing', {}],
])('unknown credentials are answered as by a relay: %s', async (_, call) => {
  const [routed, direct] = [
    await world.api('GET', '/messages', call),
    await world.relays[0].api('GET', '/messages', { auth: null, ...call }),
  ]
  const shown = ({ status, headers, json }: typeof routed) => ({
    status,
    challenge: headers.get('www-authenticate'),
    type: headers.get('content-type'),
    body: { ...json, requestId: undefined },
  })
  expect(shown(routed)).toEqual(shown(direct))
  expect(routed.status).toBe(401)
})

test('a cell cannot take over the username or an API key of an account in another cell', async () => {
  const [{ account: owner, relay }, { account: thief }] = [await newAccount(0), await newAccount(1)]
  const { json: key } = await relay.api('POST', '/keys', {
    auth: owner.basic,
    body: { name: 'program', scopes: ['devices:list'] },
  })
  const calls = [{ auth: owner.basic }, { auth: `Bearer ${key.key}` }]
  for (const call of [...calls, { auth: thief.basic }])
    expect((await world.api('GET', '/devices', call)).status).toBe(200)
  const { database } = world.relays[1]
  const { id } = await database.account.findUniqueOrThrow({ where: { username: thief.username } })
  for (const [kind, name] of [
    ['user', owner.username],
    ['key', key.id],
  ] as const)
    await database.$executeRaw`
      INSERT INTO smsgw_cells.feed (kind, name, account_id, is_removed) VALUES (${kind}, ${name}, ${id}, false)`
  // A router without a cache, which reads the rows of all cells because of unknown credentials.
  const { url } = await world.addRouter()
  const get = async ({ auth }: { readonly auth: string }) =>
    (await fetch(`${url}/3rdparty/v1/devices`, { headers: { authorization: auth } })).status
  expect(await get({ auth: `Basic ${Buffer.from('nobody:x').toString('base64')}` })).toBe(401)
  for (const call of calls) expect(await get(call)).toBe(200)
})

test('the keys of all cells are published together', async () => {
  const { status, json } = await world.request('GET', '/.well-known/jwks.json')
  const direct = await Promise.all(world.relays.map((relay) => relay.request('GET', '/.well-known/jwks.json')))
  const kids = direct.flatMap(({ json: set }) => set.keys.map(({ kid }: { kid: string }) => kid))
  expect(status).toBe(200)
  expect(json.keys.map(({ kid }: { kid: string }) => kid).toSorted()).toEqual(kids.toSorted())
})

test('the relay sees the address and scheme of the client, and nothing that the client says about proxies', async () => {
  const { relay, account } = await newAccount(1)
  const key = await relay.api('POST', '/keys', {
    auth: account.basic,
    body: { name: 'program', scopes: ['devices:list'] },
  })
  const headers = {
    'x-api-key': key.json.key,
    'x-forwarded-for': '192.0.2.7',
    forwarded: 'for=192.0.2.7',
    'x-real-ip': '192.0.2.7',
  }
  expect((await world.api('GET', '/devices', { headers })).status).toBe(200)
  await expect
    .poll(async () => (await relay.database.apiKey.findUnique({ where: { id: key.json.id } }))?.lastUsedFrom, {
      timeout: 60_000,
    })
    .toBe('127.0.0.1')
})
