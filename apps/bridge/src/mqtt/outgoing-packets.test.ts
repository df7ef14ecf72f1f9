import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { IPublishPacket, Packet } from 'mqtt'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openState } from '../state/bridge-state.ts'
import { HandledItems } from '../state/handled-items.ts'
import { itemProperty, OutgoingPackets } from './outgoing-packets.ts'

let folder: string
let database: DatabaseSync
let handled: HandledItems
let packets: OutgoingPackets
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-packets-'))
  open()
})
afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

function open(): void {
  database = openState(folder)
  handled = new HandledItems(database, 'mqtt')
  packets = new OutgoingPackets(database, handled)
}

/** Restarts as after a crash, which loses all data that is not on disk. */
function reopen(): void {
  database.close()
  open()
}

const done = () => undefined
const item = { cmd: 'publish', topic: 'smsgw/received', retain: false, dup: false, qos: 2, messageId: 7 } as const
const withItem: IPublishPacket = {
  ...item,
  payload: 'Hello',
  properties: { userProperties: { [itemProperty]: 'in-1' } },
}
const release: Packet = { cmd: 'pubrel', messageId: 7 }
const stored = () => packets.createStream().toArray() as Promise<Packet[]>

test('a packet that the broker has not confirmed is sent again after a crash, under its packet id', async () => {
  packets.put(withItem, done)
  reopen()
  expect(await stored()).toEqual([withItem])
  expect(handled.has('in-1')).toBe(false)
})

test('the text of a confirmed packet is overwritten on disk', () => {
  packets.put({ ...withItem, payload: 'code 493817' }, done)
  reopen()
  const inFile = () => readFileSync(join(folder, 'bridge.db'), 'latin1').includes('code 493817')
  expect(inFile()).toBe(true)
  packets.del({ messageId: 7 }, done)
  reopen()
  expect(inFile()).toBe(false)
})

test('after a crash, a packet that the broker has received is released without sending it again', async () => {
  packets.put(withItem, done)
  packets.put(release, done)
  reopen()
  expect(await stored()).toEqual([release])
  packets.del(release, done)
  reopen()
  expect(await stored()).toEqual([])
  expect(handled.has('in-1')).toBe(true)
})

test('the item of a packet that the broker refused is not marked as handled', async () => {
  packets.put(withItem, done)
  packets.refuse(7)
  packets.del(withItem, done)
  expect(await stored()).toEqual([])
  expect(handled.has('in-1')).toBe(false)
})

test('a packet without an item is not stored on disk', async () => {
  packets.put({ ...item, payload: 'offline', qos: 1 }, done)
  expect(await stored()).toHaveLength(1)
  reopen()
  expect(await stored()).toEqual([])
})
