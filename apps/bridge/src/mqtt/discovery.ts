import type { DeviceDetail } from '@smsgw/client/openapi'
import { VERSION } from '@smsgw/daemon/version'
import type { Topics } from './topics.ts'

/** A person or group that Home Assistant can notify. */
export interface Contact {
  readonly name: string
  readonly numbers: readonly string[]
}

/** The payload of a discovery topic: one device of Home Assistant with its entities. */
export interface Discovery {
  readonly dev: Readonly<Record<string, unknown>>
  readonly o: Readonly<Record<string, unknown>>
  readonly cmps: Readonly<Record<string, Component>>
}

export type Component = Readonly<{ p: string; [option: string]: unknown }>

const origin = { name: 'smsgw', sw: VERSION, url: 'https://github.com/smsgw/smsgw' }

/** Returns the account as a device: events for received messages and states, and one notifier for each contact. */
export function accountDiscovery(topics: Topics, prefix: string, contacts: readonly Contact[]): Discovery {
  const id = slugOf(prefix)
  const available = { availability_topic: topics.availability }
  const event = (name: string, key: string, types: readonly string[], topic: string, icon: string) => ({
    [key]: {
      p: 'event',
      name,
      unique_id: `${id}_${key}`,
      state_topic: topic,
      event_types: types,
      qos: 1,
      icon,
      ...available,
    },
  })
  const notifiers = contacts.map(({ name, numbers }) => {
    const key = `notify_${slugOf(name)}`
    return [
      key,
      {
        p: 'notify',
        name,
        unique_id: `${id}_${key}`,
        command_topic: topics.send,
        // A template of Home Assistant, in which `value` is the text of the notification.
        command_template: `{"to": ${JSON.stringify(numbers)}, "text": {{ value | to_json }}}`,
        qos: 1,
        ...available,
      },
    ] as const
  })
  return {
    dev: { ids: [id], name: 'SMS gateway', mf: 'smsgw', mdl: 'SMS gateway', sw: VERSION },
    o: origin,
    cmps: {
      ...event('Received message', 'received', ['received'], topics.received, 'mdi:message-text'),
      ...event('Message state', 'status', MESSAGE_STATES, topics.status, 'mdi:message-check'),
      ...Object.fromEntries(notifiers),
    },
  }
}

/** The states that the topic `status` reports. */
export const MESSAGE_STATES = ['processed', 'sent', 'delivered', 'failed', 'cancelled']

/** Returns a device of the account with its modems. */
export function deviceDiscovery(topics: Topics, prefix: string, device: DeviceDetail): Discovery {
  const id = `${slugOf(prefix)}_${device.id}`
  const common = {
    state_topic: topics.device(device.id),
    availability: [{ topic: topics.availability }, { topic: topics.account }],
    availability_mode: 'all',
    qos: 1,
  }
  const entity = (key: string, options: Component): [string, Component] => [
    key,
    { ...options, unique_id: `${id}_${key}`, ...common },
  ]
  const ofSims = simNumbersOf(device).flatMap((sim) => {
    const member = (name: string) => `{{ value_json.sims['${sim}'].${name} }}`
    const name = (text: string) => (simNumbersOf(device).length > 1 ? `SIM ${sim} ${text.toLowerCase()}` : text)
    return [
      entity(`sim${sim}_signal`, {
        p: 'sensor',
        name: name('Signal'),
        unit_of_measurement: '%',
        state_class: 'measurement',
        icon: 'mdi:signal',
        entity_category: 'diagnostic',
        value_template: member('signal'),
      }),
      entity(`sim${sim}_operator`, {
        p: 'sensor',
        name: name('Operator'),
        icon: 'mdi:radio-tower',
        entity_category: 'diagnostic',
        value_template: member('operator'),
      }),
      entity(`sim${sim}_state`, {
        p: 'sensor',
        name: name('State'),
        icon: 'mdi:sim',
        value_template: member('state'),
      }),
    ]
  })
  return {
    dev: {
      ids: [id],
      name: device.name,
      mf: 'smsgw',
      mdl: device.platform ?? 'SMS device',
      ...(device.version !== undefined && { sw: device.version }),
      via_device: slugOf(prefix),
    },
    o: origin,
    cmps: Object.fromEntries([
      entity('connectivity', {
        p: 'binary_sensor',
        name: 'Connectivity',
        device_class: 'connectivity',
        entity_category: 'diagnostic',
        value_template: "{{ 'ON' if value_json.online else 'OFF' }}",
      }),
      entity('queue', {
        p: 'sensor',
        name: 'Queue',
        state_class: 'measurement',
        icon: 'mdi:tray-full',
        value_template: '{{ value_json.queue }}',
      }),
      ...ofSims,
    ]),
  }
}

/** Returns the state of a device, as its entities read it. Home Assistant shows null as unknown. */
export function deviceState(device: DeviceDetail): object {
  const modems = device.modems.filter(({ simNumber }) => simNumber !== undefined)
  return {
    online: device.online,
    queue: device.queue.pending + device.queue.processed,
    sims: Object.fromEntries(
      simNumbersOf(device).map((sim) => {
        const modem = modems.find(({ simNumber }) => simNumber === sim)
        const card = device.simCards.find(({ simNumber }) => simNumber === sim)
        return [
          sim,
          {
            signal: modem?.signal ?? card?.signal ?? null,
            operator: modem?.operator ?? card?.carrierName ?? null,
            state: card?.state ?? modem?.state ?? null,
          },
        ]
      }),
    ),
  }
}

function simNumbersOf(device: DeviceDetail): number[] {
  const numbers = [...device.simCards, ...device.modems].map(({ simNumber }) => simNumber)
  return [...new Set(numbers)].filter((sim) => sim !== undefined).sort((a, b) => a - b)
}

/** Ids of Home Assistant may contain letters, digits, `_` and `-`. */
export function slugOf(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]+/g, '_')
}
