import type { Database } from '../../store/database.ts'

interface LeasedDevice {
  readonly relayId: string | null
  readonly leaseUntil: Date | null
  readonly lastSeen: Date | null
}

/**
 * Returns the devices with their valid lease and the time of the last contact. Both are taken from the row of the
 * relay, if the relay has a row. SQL statements join the table `relays` in the same way.
 */
export async function withRelayLeases<Device extends Partial<LeasedDevice> & Pick<LeasedDevice, 'relayId'>>(
  database: Database,
  devices: readonly Device[],
): Promise<Device[]> {
  const ids = [...new Set(devices.flatMap(({ relayId }) => relayId ?? []))]
  if (ids.length === 0) return [...devices]
  const relays = new Map(
    (await database.relay.findMany({ where: { id: { in: ids } } })).map((relay) => [relay.id, relay]),
  )
  return devices.map((device) => {
    const relay = relays.get(device.relayId ?? '')
    if (relay === undefined) return device
    const { leaseUntil, renewedAt } = relay
    const lastSeen = device.lastSeen && device.lastSeen > renewedAt ? device.lastSeen : renewedAt
    return { ...device, leaseUntil, ...('lastSeen' in device && { lastSeen }) }
  })
}
