import type { DeviceDetail } from '@smsgw/client/openapi'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { accountDiscovery, deviceDiscovery, deviceState } from './discovery.ts'
import { topicsBelow } from './topics.ts'

// The rules of Home Assistant for MQTT device discovery, from its documentation of MQTT and of the platforms that the
// bridge uses: binary_sensor, event, notify and sensor.

const publishTopic = z.string().regex(/^[^+#\0]+$/)
const template = z.string().min(1)
const availability = {
  availability_topic: publishTopic.optional(),
  availability: z.array(z.strictObject({ topic: publishTopic })).optional(),
  availability_mode: z.enum(['all', 'any', 'latest']).optional(),
}
const entity = {
  name: z.string(),
  unique_id: z.string().min(1),
  qos: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  icon: z.string().startsWith('mdi:').optional(),
  entity_category: z.enum(['config', 'diagnostic']).optional(),
  ...availability,
}
const component = z.discriminatedUnion('p', [
  z.strictObject({
    p: z.literal('binary_sensor'),
    ...entity,
    state_topic: publishTopic,
    value_template: template,
    device_class: z.literal('connectivity'),
  }),
  z.strictObject({
    p: z.literal('sensor'),
    ...entity,
    state_topic: publishTopic,
    value_template: template,
    unit_of_measurement: z.string().optional(),
    state_class: z.enum(['measurement', 'total', 'total_increasing']).optional(),
  }),
  z.strictObject({
    p: z.literal('event'),
    ...entity,
    state_topic: publishTopic,
    event_types: z.array(z.string()).min(1),
  }),
  z.strictObject({ p: z.literal('notify'), ...entity, command_topic: publishTopic, command_template: template }),
])
const discovery = z.strictObject({
  dev: z.strictObject({
    ids: z.array(z.string()).min(1),
    name: z.string(),
    mf: z.string(),
    mdl: z.string(),
    sw: z.string().optional(),
    via_device: z.string().optional(),
  }),
  o: z.strictObject({ name: z.string(), sw: z.string(), url: z.url({ protocol: /^https?$/ }) }),
  cmps: z.record(z.string().regex(/^[A-Za-z0-9_-]+$/), component),
})

const topics = topicsBelow('smsgw')
const device: DeviceDetail = {
  id: 'Xk2Zt7vQ9sLrB4mNdP1aW',
  name: 'office-pi',
  createdAt: '2026-03-01T08:46:11.000Z',
  updatedAt: '2026-03-01T08:46:11.000Z',
  lastSeen: '2026-03-01T08:46:11.000Z',
  online: true,
  version: '0.1.0',
  platform: 'linux arm64',
  queue: { pending: 2, processed: 1 },
  simCards: [
    { slotIndex: 0, simNumber: 1, state: 'ready', carrierName: 'Example Mobile' },
    { slotIndex: 1, simNumber: 2, state: 'locked' },
  ],
  modems: [{ simNumber: 1, state: 'ready', signal: 71, operator: 'Example Mobile' }, { state: 'starting' }],
  lastErrors: [],
}

test('the discovery of a device follows the rules of Home Assistant', () => {
  const payload = discovery.parse(deviceDiscovery(topics, 'smsgw', device))
  expect(Object.keys(payload.cmps)).toEqual([
    'connectivity',
    'queue',
    'sim1_signal',
    'sim1_operator',
    'sim1_state',
    'sim2_signal',
    'sim2_operator',
    'sim2_state',
  ])
  expect(payload.cmps['sim2_signal']?.name).toBe('SIM 2 signal')
})

test('the discovery of the account follows the rules of Home Assistant, with one notifier for each contact', () => {
  const contacts = [{ name: 'Anna & Ben', numbers: ['+447400123456', '+447400123457'] }]
  const payload = discovery.parse(accountDiscovery(topics, 'smsgw/office', contacts))
  expect(Object.keys(payload.cmps)).toEqual(['received', 'status', 'notify_Anna_Ben'])
  expect(payload.dev.ids).toEqual(['smsgw_office'])
  expect(payload.cmps['notify_Anna_Ben']).toMatchObject({
    command_template: '{"to": ["+447400123456","+447400123457"], "text": {{ value | to_json }}}',
  })
})

test('every id of an entity is unique in an installation', () => {
  const one = [accountDiscovery(topics, 'smsgw', []), deviceDiscovery(topics, 'smsgw', device)]
  const other = [accountDiscovery(topics, 'office', []), deviceDiscovery(topics, 'office', device)]
  const ids = [...one, ...other].flatMap(({ cmps }) => Object.values(cmps).map((each) => each['unique_id']))
  expect(new Set(ids).size).toBe(ids.length)
})

test('the state has a value, or null for unknown, for each entity', () => {
  expect(deviceState(device)).toEqual({
    online: true,
    queue: 3,
    sims: {
      1: { signal: 71, operator: 'Example Mobile', state: 'ready' },
      2: { signal: null, operator: null, state: 'locked' },
    },
  })
})
