import type { DatabaseSync } from 'node:sqlite'
import type { SmsGateway } from '@smsgw/client'
import type { Broker } from './broker.ts'
import { accountDiscovery, type Component, type Contact, deviceDiscovery, deviceState, slugOf } from './discovery.ts'
import type { Topics } from './topics.ts'

export interface DevicePublisherOptions {
  readonly api: SmsGateway
  readonly broker: Broker
  readonly database: DatabaseSync
  readonly topics: Topics
  readonly prefix: string
  readonly discoveryPrefix: string
  readonly contacts: readonly Contact[]
  readonly signal: AbortSignal
}

/** Keeps the retained topics current: Home Assistant's discovery and the states of devices. */
export class DevicePublisher {
  readonly #options: DevicePublisherOptions
  readonly #published = new Map<string, string>()

  constructor(options: DevicePublisherOptions) {
    this.#options = options
  }

  /** Makes the next update publish everything again, because the broker or Home Assistant has restarted. */
  forget(): void {
    this.#published.clear()
  }

  /** Publishes changes, and removes devices that no longer exist. */
  async update(): Promise<void> {
    const { api, topics, prefix, contacts, signal } = this.#options
    const account = accountDiscovery(topics, prefix, contacts)
    await this.#announce(slugOf(prefix), account)
    const devices = (await api.devices.list({ signal })).filter(({ deletedAt }) => deletedAt === undefined)
    const announced = new Set([slugOf(prefix)])
    for (const { id } of devices) {
      const device = await api.devices.get(id, { signal })
      announced.add(this.#idOf(id))
      await this.#announce(this.#idOf(id), deviceDiscovery(topics, prefix, device))
      await this.#retain(topics.device(id), JSON.stringify(deviceState(device)))
    }
    for (const id of this.#announcedIds()) {
      if (announced.has(id)) continue
      await this.#retain(this.#topicOf(id), '')
      await this.#retain(topics.device(id.slice(slugOf(prefix).length + 1)), '')
      this.#options.database.prepare('DELETE FROM mqtt_devices WHERE id = ?').run(id)
    }
  }

  /** Announces a device. Home Assistant removes an entity if its component contains only the platform. */
  async #announce(id: string, discovery: ReturnType<typeof deviceDiscovery>): Promise<void> {
    const before = this.#componentsOf(id)
    const gone = Object.entries(before).filter(([key]) => !(key in discovery.cmps))
    if (gone.length > 0) {
      const removed: Record<string, Component> = Object.fromEntries(gone.map(([key, p]) => [key, { p }]))
      await this.#retain(this.#topicOf(id), JSON.stringify({ ...discovery, cmps: { ...discovery.cmps, ...removed } }))
    }
    await this.#retain(this.#topicOf(id), JSON.stringify(discovery))
    const platforms = Object.fromEntries(Object.entries(discovery.cmps).map(([key, { p }]) => [key, p]))
    const text = JSON.stringify(platforms)
    if (text === JSON.stringify(before)) return
    this.#options.database.prepare('INSERT OR REPLACE INTO mqtt_devices VALUES (?, ?)').run(id, text)
  }

  async #retain(topic: string, payload: string): Promise<void> {
    if (this.#published.get(topic) === payload) return
    await this.#options.broker.retain(topic, payload)
    this.#published.set(topic, payload)
  }

  #idOf(deviceId: string): string {
    return `${slugOf(this.#options.prefix)}_${deviceId}`
  }

  #topicOf(id: string): string {
    return `${this.#options.discoveryPrefix}/device/${id}/config`
  }

  #announcedIds(): string[] {
    const rows = this.#options.database.prepare('SELECT id FROM mqtt_devices').all()
    return rows.map(({ id }) => String(id))
  }

  /** The platform of each component in the last announcement. */
  #componentsOf(id: string): Record<string, string> {
    const row = this.#options.database.prepare('SELECT components FROM mqtt_devices WHERE id = ?').get(id)
    return row === undefined ? {} : JSON.parse(String(row['components']))
  }
}
