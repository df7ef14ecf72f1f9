import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { IPublishPacket } from 'mqtt'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openState } from '../state/bridge-state.ts'
import { CommandQueue } from './command-queue.ts'

let folder: string
let database: DatabaseSync
let queue: CommandQueue
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-queue-'))
  database = openState(folder)
  queue = new CommandQueue(database)
})
afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

function packet(messageId: number, payload: string, more: Partial<IPublishPacket> = {}): IPublishPacket {
  return { cmd: 'publish', topic: 'smsgw/send', qos: 1, dup: false, retain: false, messageId, payload, ...more }
}

/** Removes and returns all payloads. */
function drain(): string[] {
  const payloads: string[] = []
  for (let next = queue.first(); next !== undefined; next = queue.first()) {
    payloads.push(next.payload.toString())
    queue.remove(next.number)
  }
  return payloads
}

test('keeps commands in their order, also after a restart', () => {
  for (const text of ['one', 'two', 'three']) queue.add(packet(1, text), undefined)
  database.close()
  database = openState(folder)
  queue = new CommandQueue(database)
  expect(drain()).toEqual(['one', 'two', 'three'])
})

test('does not queue a repeated delivery again, even after the command was sent', () => {
  queue.add(packet(7, 'Hello'), undefined)
  expect(queue.add(packet(7, 'Hello', { dup: true }), undefined)).toBe(true)
  expect(drain()).toEqual(['Hello'])
  queue.add(packet(7, 'Hello', { dup: true }), undefined)
  expect(drain()).toEqual([])
})

test('queues the same text again without the DUP flag, with another packet id, or after another packet with that id', () => {
  queue.add(packet(7, 'Hello'), undefined)
  queue.add(packet(7, 'Hello'), undefined)
  queue.add(packet(8, 'Hello', { dup: true }), undefined)
  expect(drain()).toEqual(['Hello', 'Hello', 'Hello'])
  queue.add(packet(7, 'Bye'), undefined)
  queue.add(packet(7, 'Hello', { dup: true }), undefined)
  expect(drain()).toEqual(['Bye', 'Hello'])
})

test('commands with the same id are one message', () => {
  queue.add(packet(1, 'Hello'), 'door-1')
  queue.add(packet(2, 'Hello'), 'door-1')
  const first = queue.first()
  expect(drain()).toEqual(['Hello'])
  queue.add(packet(3, 'Hello'), 'door-1')
  expect(queue.first()?.key).toBe(first?.key)
})

test('stores the topic of the answer', () => {
  const correlationData = Buffer.from([0, 255, 1])
  queue.add(packet(1, 'Hello', { properties: { responseTopic: 'answers/1', correlationData } }), undefined)
  expect(queue.first()).toMatchObject({ responseTopic: 'answers/1', correlationData })
})

test('refuses commands when 10 000 are queued', () => {
  database.exec(`INSERT INTO mqtt_commands (key, command)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
    SELECT 'key' || i, '{"payload":""}' FROM n`)
  expect(queue.add(packet(1, 'Hello'), undefined)).toBe(false)
})

test('queues the repetition of a command that a full queue has refused, before later commands', () => {
  queue.add(packet(7, 'Hello'), undefined)
  drain()
  database.exec(`INSERT INTO mqtt_commands (key, command)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
    SELECT 'key' || i, '{"payload":""}' FROM n`)
  expect(queue.add(packet(7, 'Hello'), undefined)).toBe(false)
  expect(queue.mayReopen).toBe(false)
  database.exec('DELETE FROM mqtt_commands')
  expect(queue.mayReopen).toBe(true)
  expect(queue.add(packet(8, 'later'), undefined)).toBe(false)
  queue.reopen()
  expect(queue.add(packet(7, 'Hello', { dup: true }), undefined)).toBe(true)
  expect(queue.add(packet(8, 'later', { dup: true }), undefined)).toBe(true)
  expect(drain()).toEqual(['Hello', 'later'])
})
