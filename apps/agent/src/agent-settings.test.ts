import { expect, test } from 'vitest'
import { agentSettings, defaultAgentSettings } from './agent-settings.ts'

test('nothing set is no pause, no limit, first in first out, the lowest SIM', () => {
  expect(agentSettings({})).toEqual(defaultAgentSettings)
})

test('what is set is obeyed', () => {
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

test('what cannot be read keeps its default and takes nothing else with it', () => {
  const settings = agentSettings({
    messages: { limit_period: 'PerCentury', limit_value: 3, processing_order: 'LIFO', work_hours_enabled: true },
    ping: 'often',
  })
  expect(settings.sending.order).toBe('LIFO')
  expect(settings.sending.pace).toEqual(defaultAgentSettings.sending.pace)
  expect(settings.pingMs).toBeUndefined()
})
