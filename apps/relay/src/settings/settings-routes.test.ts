import { generateKeyPairSync } from 'node:crypto'
import { defaultSettings } from '@smsgw/contract/relay/settings'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { route } from '../http/route.ts'
import { settingsForAgent } from '../link/agent-requests.ts'
import { systemRandom } from '../random.ts'
import { secretBox } from '../store/secret-box.ts'
import { useTestDatabase } from '../testing/test-database.ts'
import { type TestEndpoints, testEndpoints } from '../testing/test-endpoints.ts'
import { patchSettings, replaceSettings, SIGNING_KEY } from './change-settings.ts'
import { listSettingEffects } from './list-setting-effects.ts'
import { getSettings, readAccountSettings } from './read-settings.ts'

const box = secretBox('the secret of a server that only tests know', systemRandom)
let notified: string[] = []
const shared = useTestDatabase()
let api: TestEndpoints
beforeAll(async () => {
  const { database } = shared
  const hints = { settingsChanged: (accountId: string) => notified.push(accountId) }
  const deps = { database, box, hints, logbook: { write: () => undefined } }
  api = await testEndpoints([
    route('GET', '/settings', 'settings:read', '', getSettings(deps)),
    route('GET', '/settings/effects', 'settings:read', '', listSettingEffects(deps)),
    route('PUT', '/settings', 'settings:write', '', replaceSettings(deps)),
    route('PATCH', '/settings', 'settings:write', '', patchSettings(deps)),
  ])
})
afterAll(() => api.close())
beforeEach(async () => {
  notified = []
  for (const id of ['a1', 'a2']) await shared.database.account.create({ data: { id, username: id, passwordHash: '' } })
})
afterEach(() => shared.database.account.deleteMany())

const get = async (account = 'a1') => (await api.request(account, 'GET', '/settings')).json
const put = (body: object) => api.request('a1', 'PUT', '/settings', body)
const patch = (body: object) => api.request('a1', 'PATCH', '/settings', body)
const signingKey = async () => {
  const { signingKeySealed } = await readAccountSettings(shared.database, 'a1')
  return signingKeySealed === null ? null : box.open(signingKeySealed, SIGNING_KEY)
}
const paced = { send_interval_min: 5, send_interval_max: 9 }

test('an account without settings has the defaults', async () => {
  expect(await get()).toEqual(defaultSettings)
})

test('PUT replaces all settings, PATCH changes the settings it contains, and both return the settings in effect', async () => {
  expect((await put({ messages: paced, ping: { interval_seconds: 60 } })).json).toEqual({
    ...defaultSettings,
    messages: { ...defaultSettings.messages, ...paced },
    ping: { interval_seconds: 60 },
  })
  const merged = { ...defaultSettings.messages, ...paced, processing_order: 'LIFO' }
  const { status, json } = await patch({ messages: { processing_order: 'LIFO' } })
  expect(status).toBe(200)
  expect(json).toEqual({ ...defaultSettings, messages: merged, ping: { interval_seconds: 60 } })
  expect(await get()).toEqual(json)
  expect((await put({ logs: { lifetime_days: 3 } })).json).toEqual({ ...defaultSettings, logs: { lifetime_days: 3 } })
})

test('null resets a key or a section to its default', async () => {
  await put({
    messages: { ...paced, log_lifetime_days: 7 },
    ping: { interval_seconds: 60 },
    logs: { lifetime_days: 3 },
  })
  const { json } = await patch({ messages: { send_interval_max: null, log_lifetime_days: null }, ping: null })
  expect(json).toEqual({
    ...defaultSettings,
    messages: { ...defaultSettings.messages, send_interval_min: 5 },
    logs: { lifetime_days: 3 },
  })
})

const rsaKey = (modulusLength: number) =>
  generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

test('an account sets, replaces and removes the key for its inbox', async () => {
  for (const [version, key] of [rsaKey(2048), rsaKey(3072)].entries()) {
    const encryption = { inbox_public_key: key, inbox_key_version: version + 1 }
    expect((await patch({ encryption })).json).toEqual({ ...defaultSettings, encryption })
    expect(settingsForAgent((await get()) as Readonly<Record<string, unknown>>, undefined)).toMatchObject({
      encryption,
    })
  }
  expect((await patch({ encryption: null })).json).toEqual(defaultSettings)
})

const ecKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ format: 'der', type: 'spki' })
    .toString('base64')

test('a key for the inbox can be replaced only together with its version, because encrypted values contain the version', async () => {
  const encryption = { inbox_public_key: rsaKey(2048), inbox_key_version: 1 }
  await patch({ encryption })
  const other = rsaKey(2048)
  for (const change of [{ inbox_public_key: other }, { inbox_public_key: other, inbox_key_version: 1 }])
    expect(await patch({ encryption: change })).toMatchObject({
      status: 400,
      json: { errors: [{ path: 'encryption.inbox_key_version' }] },
    })
  expect(await get()).toEqual({ ...defaultSettings, encryption })
  expect((await put({ encryption })).status).toBe(200)
  expect((await patch({ encryption: { inbox_public_key: other, inbox_key_version: 2 } })).status).toBe(200)
  await patch({ encryption: null })
})

/**
 * Changes octets of a key. An RSA key with 2048 bits ends with the lowest octet of its modulus, two octets of DER, and
 * 01 00 01.
 */
function altered(change: (octets: Buffer) => unknown): string {
  const octets = Buffer.from(rsaKey(2048), 'base64')
  change(octets)
  return octets.toString('base64')
}
const evenModulus = () => altered((octets) => octets.writeUInt8((octets.at(-6) ?? 0) & 0xfe, octets.length - 6))
const withExponent = (exponent: number) => altered((octets) => octets.writeUIntBE(exponent, octets.length - 3, 3))

test.each<[string, object, string]>([
  ['a key without its version', { inbox_public_key: rsaKey(2048) }, 'inbox_key_version'],
  ['a version without its key', { inbox_key_version: 1 }, 'inbox_public_key'],
  ['a short key', { inbox_public_key: rsaKey(1024), inbox_key_version: 1 }, 'inbox_public_key'],
  ['a key of another kind', { inbox_public_key: ecKey(), inbox_key_version: 1 }, 'inbox_public_key'],
  [
    'a key with which nothing can be encrypted',
    { inbox_public_key: evenModulus(), inbox_key_version: 1 },
    'inbox_public_key',
  ],
  ['a key that hides nothing', { inbox_public_key: withExponent(1), inbox_key_version: 1 }, 'inbox_public_key'],
  [
    'a key that nobody can decrypt',
    { inbox_public_key: withExponent(65_536), inbox_key_version: 1 },
    'inbox_public_key',
  ],
  ['octets that are not a key', { inbox_public_key: 'AAAA', inbox_key_version: 1 }, 'inbox_public_key'],
])('refuses %s for the inbox', async (_, encryption, path) => {
  const { status, json } = await patch({ encryption })
  expect([status, json]).toMatchObject([400, { errors: [{ path: `encryption.${path}` }] }])
  expect(await get()).toEqual(defaultSettings)
})

test('camelCase is accepted too and takes precedence over snake_case', async () => {
  const { json } = await patch({
    messages: { sendIntervalMin: 7, send_interval_min: 3, limitPeriod: 'PerDay', limitValue: 9 },
  })
  expect(json).toMatchObject({ messages: { send_interval_min: 7, limit_period: 'PerDay', limit_value: 9 } })
})

test('the signing key is never shown, and is kept if a change does not contain it', async () => {
  expect(JSON.stringify((await put({ webhooks: { signing_key: 'kept' } })).json)).not.toContain('kept')
  expect(JSON.stringify(await get())).not.toContain('signing_key')
  expect(JSON.stringify(await shared.database.account.findMany())).not.toContain('kept')
  for (const change of [{}, { webhooks: {} }, { webhooks: null }, { webhooks: { signing_key: '' } }]) {
    await put(change)
    await patch(change)
    expect(await signingKey()).toBe('kept')
  }
  await patch({ webhooks: { signingKey: 'another' } })
  expect(await signingKey()).toBe('another')
  await put({ webhooks: { signing_key: null } })
  expect(await signingKey()).toBeNull()
})

test('the effects tell whether a signing key is set, and nothing about the key', async () => {
  const isSet = async () => {
    const { json } = await api.request('a1', 'GET', '/settings/effects')
    expect(JSON.stringify(json)).not.toContain('top secret')
    const known = (json as { key: string; isSet?: boolean }[]).filter((one) => one.isSet !== undefined)
    expect(known.map(({ key }) => key)).toEqual(['webhooks.signing_key'])
    return known[0]?.isSet
  }
  expect(await isSet()).toBe(false)
  await patch({ webhooks: { signing_key: 'top secret' } })
  expect(await isSet()).toBe(true)
  await patch({ webhooks: { signing_key: null } })
  expect(await isSet()).toBe(false)
})

test.each([
  [{ encryption: { passphrase: 'secret' } }, 'encryption.passphrase'],
  [{ gateway: { cloud_url: 'https://example.com' } }, 'gateway.cloud_url'],
  [{ gateway: { privateToken: 'secret' } }, 'gateway.private_token'],
])('%j is refused, because it is a setting of the agent', async (change, path) => {
  const { status, json } = await put(change)
  expect(status).toBe(400)
  expect(json).toMatchObject({ errors: [{ path, message: expect.stringContaining('at the agent') }] })
})

test('refused keys are accepted when they are empty, and keys without effect are stored', async () => {
  const gateway = { cloud_url: '', private_token: null, notification_channel: 'SSE_ONLY' }
  const { json } = await put({ encryption: { passphrase: '' }, gateway, receiver: { content_provider_enabled: true } })
  expect(json).toEqual({
    ...defaultSettings,
    gateway: { notification_channel: 'SSE_ONLY' },
    receiver: { content_provider_enabled: true },
  })
})

test('a notification channel that clients do not know is refused', async () => {
  await put({ gateway: { notification_channel: 'AUTO' } })
  for (const notification_channel of ['SMOKE', 'auto', '']) {
    const { json } = await patch({ gateway: { notification_channel } })
    expect(json).toMatchObject({ code: 400, errors: [{ path: 'gateway.notification_channel' }] })
  }
  expect(await get()).toMatchObject({ gateway: { notification_channel: 'AUTO' } })
})

test.each([
  [{ send_interval_min: 5, send_interval_max: 4 }, 'messages.send_interval_min'],
  [{ limit_period: 'PerHour' }, 'messages.limit_value'],
  [{ work_hours_enabled: true, work_hours_end: '18:00' }, 'messages.work_hours_start'],
  [{ work_hours_enabled: true, work_hours_start: '08:00' }, 'messages.work_hours_end'],
  [{ work_hours_enabled: true, work_hours_start: '08:00', work_hours_end: '08:00' }, 'messages.work_hours_end'],
  [{ send_interval_min: 0 }, 'messages.send_interval_min'],
  [{ work_hours_start: '8:00' }, 'messages.work_hours_start'],
  [{ log_lifetime_days: 0 }, 'messages.log_lifetime_days'],
])('%j is refused, and the error names the wrong key', async (messages, path) => {
  expect((await patch({ messages })).json).toMatchObject({ code: 400, errors: [{ path }] })
  expect(await get()).toEqual(defaultSettings)
})

test('work hours may cross midnight', async () => {
  const messages = { work_hours_enabled: true, work_hours_start: '22:00', work_hours_end: '06:00' }
  expect((await patch({ messages })).json).toMatchObject({ messages })
})

test('rules that compare two settings are checked after the change is merged with the stored settings', async () => {
  await put({ messages: paced })
  expect((await patch({ messages: { send_interval_min: 10 } })).status).toBe(400)
  expect((await patch({ messages: { send_interval_min: 10, send_interval_max: null } })).status).toBe(200)
})

test('a change increases the version and is sent to the agents, but a refused change is not', async () => {
  const { version } = await readAccountSettings(shared.database, 'a1')
  await patch({ messages: paced })
  await put({ messages: { limit_period: 'PerHour' } })
  expect((await readAccountSettings(shared.database, 'a1')).version).toBe(version + 1)
  expect(notified).toEqual(['a1'])
})

test('concurrent changes are all kept', async () => {
  const changes = [{ ping: { interval_seconds: 60 } }, { logs: { lifetime_days: 3 } }, { messages: paced }]
  await Promise.all(changes.map(patch))
  expect(await get()).toMatchObject({ ping: { interval_seconds: 60 }, logs: { lifetime_days: 3 }, messages: paced })
})

test('a change does not affect other accounts', async () => {
  await patch({ logs: { lifetime_days: 3 } })
  expect(await get('a2')).toEqual(defaultSettings)
})

test('lists for each setting whether it takes effect with the present values of the other settings', async () => {
  const effects = async (effect: string) => {
    const { json } = await api.request('a1', 'GET', '/settings/effects')
    const all = json as { key: string; effect: string; reason?: string }[]
    expect(all.length).toBe(new Set(all.map(({ key }) => key)).size)
    for (const one of all) expect(one.reason !== undefined, one.key).toBe(one.effect === 'inactive')
    return all.filter((one) => one.effect === effect).map(({ key }) => key)
  }
  const never = ['webhooks.internet_required', 'gateway.notification_channel', 'receiver.content_provider_enabled']
  expect(await effects('never')).toEqual(never)
  const hours = ['messages.work_hours_start', 'messages.work_hours_end']
  expect(await effects('inactive')).toEqual(['messages.limit_value', ...hours])
  await patch({ messages: { limit_period: 'PerHour', limit_value: 5 } })
  expect(await effects('inactive')).toEqual(hours)
  const enabled = { work_hours_enabled: true, work_hours_start: '08:00', work_hours_end: '18:00' }
  await patch({ messages: enabled })
  expect(await effects('inactive')).toEqual([])
  expect(await effects('active')).toEqual(expect.arrayContaining(['webhooks.signing_key', 'ping.interval_seconds']))
})
