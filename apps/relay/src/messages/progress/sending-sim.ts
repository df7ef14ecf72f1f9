// Chooses the SIM that an outbound event names. A SIM reported by the device is certain. If the message ended before
// that, or the device is gone, the SIM follows from the request and the device's slots.

import type { Statements } from '../../store/database.ts'
import type { OutboundEvent } from '../../webhooks/outbox/outbox-event.ts'
import { type DeviceSims, readDeviceSims } from './read-device-sims-statement.ts'

/** Adds SIM and sender to events for which the device reported none. */
export async function withSendingSims<Event extends OutboundEvent>(
  statements: Statements,
  events: readonly Event[],
): Promise<readonly Event[]> {
  const open = events.filter(({ simNumber, sender }) => simNumber === null || sender === null)
  if (open.length === 0) return events
  const devices = await readDeviceSims(statements, [...new Set(open.map(({ deviceId }) => deviceId))])
  return events.map((event) => withSendingSim(event, devices.get(event.deviceId)))
}

function withSendingSim<Event extends OutboundEvent>(event: Event, device: DeviceSims | undefined): Event {
  if (device === undefined) return event
  const simNumber = event.simNumber ?? plannedSim(device) ?? null
  const sim = device.sims.find((one) => one.simNumber === simNumber)
  return { ...event, simNumber, sender: event.sender ?? sim?.phoneNumber ?? null }
}

/** The slot for messages without a requested SIM; undefined when several are possible. */
function plannedSim({ sims, selection }: DeviceSims): number | undefined {
  const ready = sims.filter(({ state }) => state === 'ready')
  const present = sims.filter(({ state }) => state !== 'absent')
  const [candidates = []] = [ready, present, sims].filter(({ length }) => length > 0)
  if (candidates.length > 1 && (candidates !== ready || selection !== 'OSDefault')) return undefined
  return candidates.length === 0 ? undefined : Math.min(...candidates.map(({ simNumber }) => simNumber))
}
