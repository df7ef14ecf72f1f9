import { settings, settingsWithoutEffect } from '@smsgw/contract/relay/settings'
import { expect, test } from 'vitest'
import { optionalText } from '../words/text.ts'
import { editsWith, isOff, settingFields } from './setting-fields.ts'

const shown = Object.entries(settingFields).flatMap(([section, fields]) =>
  Object.keys(fields).map((key) => `${section}.${key}`),
)

test('the page shows every setting of the contract that takes effect, and no other setting', () => {
  const known = Object.entries(settings.shape).flatMap(([section, { shape }]) =>
    Object.keys(shape).map((key) => `${section}.${key}`),
  )
  const effective = known.filter((key) => !(settingsWithoutEffect as readonly string[]).includes(key))
  // The signing key is added, because the API accepts it but never returns it.
  expect(shown.toSorted()).toEqual([...effective, 'webhooks.signing_key'].toSorted())
})

test.each([...Object.keys(settingFields).map((section) => `section.${section}`), ...shown])(
  '%s has a name and help',
  (name) => {
    expect(optionalText(`setting.${name}`)).toBeTruthy()
    expect(optionalText(`settingHelp.${name}`)).toBeTruthy()
  },
)

test('switching work hours on proposes times only where none are stored', () => {
  const on = (stored: object) => editsWith('messages', { ...stored }, { limit_value: 7 }, ['work_hours_enabled', true])
  expect(on({})).toEqual({
    limit_value: 7,
    work_hours_enabled: true,
    work_hours_start: '08:00',
    work_hours_end: '20:00',
  })
  expect(on({ work_hours_start: '06:30', work_hours_end: '' })).toEqual({
    limit_value: 7,
    work_hours_enabled: true,
    work_hours_end: '20:00',
  })
})

test('an edit can be discarded alone', () => {
  const edits = { retry_count: 3, signing_key: null }
  expect(editsWith('webhooks', {}, edits, ['signing_key', undefined])).toEqual({ retry_count: 3 })
})

test('switching work hours off discards edits of their times, and no other edit does', () => {
  const edits = { limit_value: 7, work_hours_enabled: true, work_hours_start: 'no time' }
  const without = { limit_value: 7, work_hours_enabled: false }
  expect(editsWith('messages', {}, edits, ['work_hours_enabled', false])).toEqual(without)
  expect(editsWith('messages', {}, edits, ['limit_value', 8])).toEqual({ ...edits, limit_value: 8 })
})

test('the message limit has no effect without a period, and edits of it are discarded then', () => {
  const { limit_value: field } = settingFields.messages
  const isOffAt = (period: string) => isOff(field, (key) => (key === 'limit_period' ? period : undefined))
  expect(isOffAt('Disabled')).toBe(true)
  expect(isOffAt('PerHour')).toBe(false)
  const edits = { limit_value: 7, ping: 1 }
  expect(editsWith('messages', {}, edits, ['limit_period', 'Disabled'])).toEqual({ ping: 1, limit_period: 'Disabled' })
  expect(editsWith('messages', {}, edits, ['limit_period', 'PerDay'])).toEqual({ ...edits, limit_period: 'PerDay' })
})
