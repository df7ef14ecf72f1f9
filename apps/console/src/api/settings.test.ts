import type { SettingEffect } from '@smsgw/contract/relay/settings'
import { expect, test } from 'vitest'
import { secretAfter, secretsSet } from './settings.ts'

const effect = (key: string, isSet?: boolean) => ({ key, ...(isSet !== undefined && { isSet }) }) as SettingEffect

test('it is unknown which secrets have a value if the relay does not tell', () => {
  expect(secretsSet([effect('webhooks.signing_key'), effect('ping.interval_seconds')])).toBeUndefined()
  expect(secretsSet([effect('webhooks.signing_key', false)])).toEqual(new Set())
  expect(secretsSet([effect('webhooks.signing_key', true)])).toEqual(new Set(['webhooks.signing_key']))
})

test('a saved secret has a value, and a removed one has none', () => {
  const key = effect('webhooks.signing_key', false)
  expect(secretAfter(key, { webhooks: { signing_key: 'a key' } })).toEqual({ isSet: true })
  expect(secretAfter(key, { webhooks: { signing_key: null } })).toEqual({ isSet: false })
  expect(secretAfter(key, { webhooks: { retry_count: 3 } })).toEqual({})
  expect(secretAfter(effect('ping.interval_seconds'), { ping: { interval_seconds: 60 } })).toEqual({})
})
