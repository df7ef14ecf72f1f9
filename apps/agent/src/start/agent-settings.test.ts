import { expect, test } from 'vitest'
import {
  defaultAgentSettings,
  type KnownSettings,
  noSettings,
  agentSettings as settingsOf,
  takeSettings,
} from './agent-settings.ts'

const agentSettings = (sent: Readonly<Record<string, unknown>>) => settingsOf(takeSettings(sent, noSettings).known)

test('by default there is no pause and no limit, the order is FIFO and the lowest SIM sends', () => {
  expect(agentSettings({})).toEqual(defaultAgentSettings)
})

test('converts all settings of the API', () => {
  const settings = agentSettings({
    messages: {
      send_interval_min: 2,
      send_interval_max: 5,
      limit_period: 'Per30Minutes',
      limit_value: 7,
      sim_selection_mode: 'Random',
      processing_order: 'LIFO',
      work_hours_enabled: true,
      work_hours_start: '22:00',
      work_hours_end: '06:30',
    },
    ping: { interval_seconds: 30 },
  })
  expect(settings).toEqual({
    sending: {
      pace: {
        intervalMinMs: 2000,
        intervalMaxMs: 5000,
        limit: { periodMs: 1_800_000, value: 7 },
        workHours: { startMinute: 1320, endMinute: 390 },
      },
      simSelection: 'Random',
      order: 'LIFO',
    },
    pingMs: 30_000,
  })
})

test('an invalid setting keeps its default and does not affect the others', () => {
  const settings = agentSettings({
    messages: { limit_period: 'PerCentury', limit_value: 3, processing_order: 'LIFO', work_hours_enabled: true },
    ping: 'often',
  })
  expect(settings.sending.order).toBe('LIFO')
  expect(settings.sending.pace).toEqual(defaultAgentSettings.sending.pace)
  expect(settings.pingMs).toBeUndefined()
})

test.each([
  ['ping.interval_seconds', { ping: { interval_seconds: 1e-9 } }],
  ['ping.interval_seconds', { ping: { interval_seconds: 86_401 } }],
  ['messages.send_interval_min', { messages: { send_interval_min: Number.MAX_VALUE } }],
  ['messages.limit_value', { messages: { limit_value: 0.5 } }],
  ['messages.work_hours_start', { messages: { work_hours_start: '25:00' } }],
  ['ping', { ping: ['often'] }],
])('refuses a value outside the range of the API by name and keeps the previous one: %s', (name, sent) => {
  const before: KnownSettings = {
    messages: { send_interval_min: 2, limit_value: 7, work_hours_start: '08:00' },
    ping: { interval_seconds: 30 },
    privacy: {},
  }
  const { known, refused } = takeSettings(sent, before)
  expect(refused).toEqual([name])
  const [section = '', key = 'interval_seconds'] = name.split('.')
  expect((known as Record<string, Record<string, unknown>>)[section]?.[key]).toBe(
    (before as Record<string, Record<string, unknown>>)[section]?.[key],
  )
})

test('ignores unknown settings and null values', () => {
  const sent = { messages: { of_a_newer_relay: 'x'.repeat(100_000) }, more: {}, ping: { interval_seconds: null } }
  expect(takeSettings(sent, noSettings)).toEqual({ known: noSettings, refused: [] })
})
