import { expect, test } from 'vitest'
import { settingConflicts } from './setting-conflicts.ts'

const key = 'MIIBIjANBgkqhkiG'

test.each([
  ['messages', { send_interval_min: 5, send_interval_max: 2 }, ['send_interval_min']],
  ['messages', { limit_period: 'PerHour', limit_value: null }, ['limit_value']],
  ['messages', { work_hours_enabled: true }, ['work_hours_start', 'work_hours_end']],
  ['messages', { work_hours_enabled: true, work_hours_start: '09:00' }, ['work_hours_end']],
  ['messages', { work_hours_enabled: true, work_hours_start: '09:00', work_hours_end: '09:00' }, ['work_hours_end']],
  ['encryption', { inbox_key_version: 2 }, ['inbox_public_key']],
  ['encryption', { inbox_public_key: key }, ['inbox_key_version']],
  ['encryption', { inbox_hide_sender: true }, ['inbox_public_key']],
] as const)('in %s, %j has a problem at %j', (section, values, keys) => {
  expect(Object.keys(settingConflicts(section, { limit_period: 'Disabled', ...values }))).toEqual(keys)
})

test.each([
  ['messages', { send_interval_min: 5, send_interval_max: 5 }],
  ['messages', { send_interval_min: 5, send_interval_max: null }],
  ['messages', { limit_period: 'PerHour', limit_value: 20 }],
  ['messages', { work_hours_enabled: false, work_hours_start: '09:00' }],
  ['messages', { work_hours_enabled: true, work_hours_start: '22:00', work_hours_end: '06:00' }],
  ['encryption', { inbox_public_key: key, inbox_key_version: 1, inbox_hide_sender: true }],
  ['logs', { lifetime_days: 7 }],
] as const)('in %s, %j has no problem', (section, values) => {
  expect(settingConflicts(section, { limit_period: 'Disabled', ...values })).toEqual({})
})
