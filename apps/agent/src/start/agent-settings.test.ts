import { generateKeyPairSync } from 'node:crypto'
import { ManualClock } from '@smsgw/virtual-modem/manual-clock'
import { expect, test } from 'vitest'
import { defaultSendingSettings } from '../sending/schedule/sending-settings.ts'
import {
  type KnownSettings,
  noSettings,
  SettingsInUse,
  agentSettings as settingsOf,
  storedInboxKey,
  takeSettings,
} from './agent-settings.ts'
import { ProblemLog } from './problem-log.ts'

const agentSettings = (sent: Readonly<Record<string, unknown>>) => settingsOf(takeSettings(sent, noSettings).known)

test('by default, there is no pause and no limit, the order is FIFO, and the SIM with the lowest number sends', () => {
  expect(agentSettings({})).toEqual({ sending: defaultSendingSettings, pingMs: undefined })
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

test('uses the key of the account that was stored, and refuses a key that cannot encrypt', () => {
  const { publicKey: spki } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const publicKey = spki.export({ format: 'der', type: 'spki' }).toString('base64')
  const encryption = { inbox_public_key: publicKey, inbox_key_version: 4 }
  expect(storedInboxKey({ encryption })).toEqual({ publicKey, version: 4 })
  expect(storedInboxKey(undefined)).toBeUndefined()
  const { known } = takeSettings({ encryption }, noSettings)
  const sent = { encryption: { inbox_public_key: 'AAAA', inbox_key_version: 5 } }
  expect(takeSettings(sent, known)).toEqual({ known, refused: ['encryption.inbox_public_key'] })
})

test('hides senders only together with a key, and continues to hide them when a newer relay sends an invalid value', () => {
  const { publicKey: spki } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const publicKey = spki.export({ format: 'der', type: 'spki' }).toString('base64')
  const encryption = { inbox_public_key: publicKey, inbox_key_version: 4, inbox_hide_sender: true }
  expect(storedInboxKey({ encryption })).toEqual({ publicKey, version: 4, hidesSender: true })
  expect(storedInboxKey({ encryption: { ...encryption, inbox_hide_sender: false } })).toEqual({ publicKey, version: 4 })
  expect(storedInboxKey({ encryption: { inbox_hide_sender: true } })).toBeUndefined()
  const { known } = takeSettings({ encryption }, noSettings)
  const sent = { encryption: { ...encryption, inbox_hide_sender: 'sometimes' } }
  expect(takeSettings(sent, known)).toEqual({ known, refused: ['encryption.inbox_hide_sender'] })
})

test('an invalid setting keeps its default and does not affect the others', () => {
  const settings = agentSettings({
    messages: { limit_period: 'PerCentury', limit_value: 3, processing_order: 'LIFO', work_hours_enabled: true },
    ping: 'often',
  })
  expect(settings.sending.order).toBe('LIFO')
  expect(settings.sending.pace).toEqual(defaultSendingSettings.pace)
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
    encryption: {},
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

test('writes ten changes of a flood of settings at once and then one a second, and uses the last settings', async () => {
  const { settings, clock, written, used } = inUse()
  for (let at = 0; at < 100_000; at += 1) settings.receive({ ping: { interval_seconds: 30 + (at % 2) } })
  settings.receive({ ping: { interval_seconds: 99 } })
  let isStored = false
  void settings.stored.then(() => {
    isStored = true
  })
  expect(written).toHaveLength(10)
  await Promise.resolve()
  expect(isStored).toBe(false)
  clock.advance(1000)
  await settings.stored
  expect(written.slice(10)).toEqual([99])
  expect(used.slice(10)).toEqual([99_000])
  for (let second = 0; second < 60; second += 1) {
    for (let at = 0; at < 100; at += 1) settings.receive({ ping: { interval_seconds: 30 + ((second + at) % 60) } })
    clock.advance(1000)
  }
  expect(written.length).toBeLessThanOrEqual(11 + 60)
})

test('uses a few changes in a row at once', () => {
  const { settings, clock, used } = inUse()
  for (const seconds of [30, 31, 32]) settings.receive({ ping: { interval_seconds: seconds } })
  expect(used).toEqual([30_000, 31_000, 32_000])
  expect(clock.nextAtMs).toBeUndefined()
})

test('does not write delayed settings that have changed back in the meantime', async () => {
  const { settings, clock, written } = afterBurst()
  for (const seconds of [31, 30]) settings.receive({ ping: { interval_seconds: seconds } })
  const { stored } = settings
  clock.advance(1000)
  await stored
  expect(written.at(-1)).toBe(30)
  expect(written).toHaveLength(10)
})

test('stores the latest settings when it stops', () => {
  const { settings, clock, written } = afterBurst()
  settings.receive({ ping: { interval_seconds: 31 } })
  settings.stop()
  expect(written.at(-1)).toBe(31)
  expect(clock.nextAtMs).toBeUndefined()
})

/** Returns settings after ten changes. The last change is an interval of 30 s. Further changes are delayed. */
function afterBurst() {
  const fixture = inUse()
  for (let seconds = 39; seconds >= 30; seconds -= 1) fixture.settings.receive({ ping: { interval_seconds: seconds } })
  return fixture
}

function inUse() {
  const clock = new ManualClock()
  const written: unknown[] = []
  const used: unknown[] = []
  const settings = new SettingsInUse({
    clock,
    problems: new ProblemLog(() => undefined),
    store: async (value) => {
      written.push((value as unknown as KnownSettings).ping['interval_seconds'])
    },
    onChanged: ({ pingMs }) => used.push(pingMs),
  })
  return { settings, clock, written, used }
}
