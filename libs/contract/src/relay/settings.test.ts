import { expect, test } from 'vitest'
import { defaultSettings, settings, settingsChange } from './settings.ts'

test('accepts the default settings', () => {
  expect(settings.parse(defaultSettings)).toEqual(defaultSettings)
})

test('accepts any part and ignores unknown sections and keys', () => {
  expect(settingsChange.parse({})).toEqual({})
  expect(settingsChange.parse({ messages: { limit_value: 5, color: 1 }, more: {} })).toEqual({
    messages: { limit_value: 5 },
  })
})

test('accepts keys in camelCase, which take precedence', () => {
  expect(
    settingsChange.parse({
      messages: { sendIntervalMin: 3, send_interval_min: 9, workHoursEnabled: true },
      webhooks: { retryCount: null, retry_count: 4 },
    }),
  ).toEqual({ messages: { send_interval_min: 3, work_hours_enabled: true }, webhooks: { retry_count: null } })
})

test('treats null, which resets a key or section, differently from an absent key or section', () => {
  const change = settingsChange.parse({ messages: { limit_value: null }, ping: null })
  expect(change.messages).toEqual({ limit_value: null })
  expect(change.ping).toBeNull()
  expect(change.logs).toBeUndefined()
})

test('refuses settings of the agent unless they are empty', () => {
  const paths = (body: object) => (settingsChange.safeParse(body).error?.issues ?? []).map(({ path }) => path.join('.'))
  expect(paths({ encryption: { passphrase: 'x' }, gateway: { cloudUrl: 'https://x', private_token: 'x' } })).toEqual([
    'encryption.passphrase',
    'gateway.cloud_url',
    'gateway.private_token',
  ])
  expect(paths({ encryption: { passphrase: '' }, gateway: { cloud_url: null, private_token: '' } })).toEqual([])
  expect(settingsChange.parse({ encryption: { passphrase: '' } })).toEqual({ encryption: {} })
})

test('ignores an empty signing key and removes the key for null', () => {
  expect(settingsChange.parse({ webhooks: { signing_key: '' } }).webhooks?.signing_key).toBeUndefined()
  expect(settingsChange.parse({ webhooks: { signing_key: null } }).webhooks?.signing_key).toBeNull()
  expect(settingsChange.parse({ webhooks: { signing_key: 'k' } }).webhooks?.signing_key).toBe('k')
})

test.each([
  { messages: { send_interval_min: 0 } },
  { messages: { limit_period: 'PerWeek' } },
  { messages: { limit_value: 0 } },
  { messages: { log_lifetime_days: 0 } },
  { messages: { work_hours_start: '24:00' } },
  { messages: { work_hours_start: '8:00' } },
  { messages: [] },
  { webhooks: { retry_count: 0 } },
  { ping: { interval_seconds: 0.5 } },
  { logs: 'x' },
])('refuses %j', (body) => {
  expect(settingsChange.safeParse(body).success).toBe(false)
})
