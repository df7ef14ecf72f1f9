import type { DatabaseSync } from 'node:sqlite'
import { type DoneCallback, type Packet, type PacketCallback, Store } from 'mqtt'
import { inTransaction } from '../state/bridge-state.ts'
import type { HandledItems } from '../state/handled-items.ts'

/** The user property that names the item in a packet. */
export const itemProperty = 'smsgw-item'

/**
 * Packets that the broker has not confirmed. A packet with an item is also stored in the state file, under its packet
 * id. After a crash it is sent again with that id, and in the same session the broker ignores a packet that it has
 * already received (MQTT 5.0 §4.3.3). The confirmation removes the packet and marks the item as handled in one
 * transaction.
 */
export class OutgoingPackets extends Store {
  readonly #database: DatabaseSync
  readonly #handled: HandledItems
  readonly #refused = new Set<number>()

  constructor(database: DatabaseSync, handled: HandledItems) {
    super({ clean: false })
    this.#database = database
    this.#handled = handled
    for (const { packet } of database.prepare('SELECT packet FROM mqtt_packets ORDER BY packet_id').all())
      super.put(JSON.parse(String(packet)) as Packet, () => undefined)
  }

  /** The broker has refused the packet, so its item is not marked as handled. */
  refuse(messageId: number): void {
    this.#refused.add(messageId)
  }

  override put(packet: Packet, done: DoneCallback): this {
    const item = itemOf(packet)
    if (packet.cmd === 'pubrel') {
      this.#database
        .prepare('UPDATE mqtt_packets SET packet = ? WHERE packet_id = ?')
        .run(JSON.stringify(packet), packet.messageId ?? 0)
    } else if (item !== undefined) {
      this.#database
        .prepare('INSERT OR REPLACE INTO mqtt_packets (packet_id, packet, item) VALUES (?, ?, ?)')
        .run(packet.messageId ?? 0, JSON.stringify(packet), item)
    }
    return super.put(packet, done)
  }

  override del(packet: Pick<Packet, 'messageId'>, done: PacketCallback): this {
    const id = packet.messageId ?? 0
    const isRefused = this.#refused.delete(id)
    inTransaction(this.#database, () => {
      const row = this.#database.prepare('DELETE FROM mqtt_packets WHERE packet_id = ? RETURNING item').get(id)
      if (row !== undefined && !isRefused) this.#handled.add(String(row['item']), Date.now())
    })
    return super.del(packet, done)
  }
}

function itemOf(packet: Packet): string | undefined {
  if (packet.cmd !== 'publish' || packet.qos !== 2) return undefined
  const item = packet.properties?.userProperties?.[itemProperty]
  return typeof item === 'string' ? item : undefined
}
