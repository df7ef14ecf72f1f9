import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentEvent } from '@smsgw/contract/link/event'
import { agentEvent } from '@smsgw/contract/link/event'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DeviceKeys } from '../encryption/device-keys.ts'
import { FieldOpener } from '../sending/message/encrypted-field.ts'
import { ReceiverFixture } from '../testing/receiver-fixture.ts'
import { encryptedEvent } from './encrypted-event.ts'

const folder = mkdtempSync(join(tmpdir(), 'smsgw-inbox-key-'))
let owner: DeviceKeys
let world: ReceiverFixture

beforeAll(async () => {
  owner = await DeviceKeys.load(join(folder, 'keys.json'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(() => {
  world = new ReceiverFixture()
  world.inboxKey = owner.current
})

async function opened(value = ''): Promise<unknown> {
  const { current } = owner
  expect(value).toMatch(/^\$rsa-oaep-aes-256-gcm\$v=1\$k=\d+\$/)
  const result = await new FieldOpener({ deviceKeys: owner }).open(value)
  return result.ok ? result.text : `not readable with version ${current.version}: ${result.problem}`
}

const contents = async () =>
  (await world.received()).map((event) =>
    event.type === 'SMS' ? event.text : event.type === 'DATA_SMS' ? event.data : event.subject,
  )

test('encrypts a long text, and reports its sender and SIM in clear', async () => {
  const text = 'Grüße 👋 '.repeat(30)
  for (const pdu of world.text(text)) world.deliver(pdu)
  await world.pass(1000)
  expect(await world.received()).toMatchObject([
    { type: 'SMS', isEncrypted: true, sender: '+447700900123', simNumber: 1 },
  ])
  expect(JSON.stringify(await world.events())).not.toContain('Grüße')
  expect(await opened((await contents())[0])).toBe(text)
})

test('encrypts the base64 text of data', async () => {
  for (const pdu of world.data(new Uint8Array([1, 2, 255]), 5000)) world.deliver(pdu)
  await world.pass(1000)
  expect(await world.received()).toMatchObject([{ type: 'DATA_SMS', isEncrypted: true, port: 5000 }])
  const [data = ''] = await contents()
  expect(await opened(Buffer.from(data, 'base64').toString())).toBe('AQL/')
})

test('hides the sender behind an alias that only this agent can decrypt, and the id behind a keyed hash', async () => {
  const { aliases, current } = owner
  for (const inboxKey of [current, { ...current, aliases }]) {
    world.inboxKey = inboxKey
    for (const pdu of world.text('Hello')) world.deliver(pdu)
    // The second delivery comes so late that it counts as another message.
    await world.pass(20_000)
  }
  await world.restart()
  const [shown, hidden] = await world.received()
  expect(JSON.stringify(hidden)).not.toContain('7700900123')
  expect(hidden).toMatchObject({ type: 'SMS', isEncrypted: true, simNumber: 1 })
  expect(aliases.numberOf(hidden?.sender ?? '')).toBe(shown?.sender)
  expect(hidden?.id).toHaveLength(27)
  expect(JSON.stringify(await world.disk.session().journal.read('inbound', { sinceMs: 0 }))).not.toContain(hidden?.id)
})

test('hides the sender of an MMS without a subject, and accepts an MMS without a sender', () => {
  const key = { ...owner.current, aliases: owner.aliases }
  const { sender, id } = encryptedEvent(mms, key)
  expect(owner.aliases.numberOf(sender)).toBe(mms.sender)
  expect(id).not.toBe(mms.id)
  expect(encryptedEvent({ ...mms, sender: '' }, key).sender).toBe('')
})

test('encrypts the location of an MMS with a hidden sender, and replaces its transaction id by a keyed hash', async () => {
  const key = { ...owner.current, aliases: owner.aliases }
  const traced = { ...mms, transactionId: '447700900123-T1', contentLocation: 'http://mms.example/447700900123/1' }
  const hidden = encryptedEvent(traced, key) as typeof mms
  expect(JSON.stringify(hidden)).not.toContain('447700900123')
  expect(hidden).toMatchObject({
    isEncrypted: true,
    size: mms.size,
    transactionId: expect.stringMatching(/^[\w-]{27}$/),
  })
  expect(await opened(hidden.contentLocation)).toBe(traced.contentLocation)
  const [again, other] = [traced, { ...traced, transactionId: 'T2' }].map((event) => encryptedEvent(event, key))
  expect(again).toMatchObject({ transactionId: hidden.transactionId })
  expect(other).not.toMatchObject({ transactionId: hidden.transactionId })
  const { contentLocation: _, ...nowhere } = traced
  expect(encryptedEvent(nowhere, key)).not.toHaveProperty('isEncrypted')
})

const mms = {
  kind: 'received',
  type: 'MMS',
  id: 'i1',
  receivedAt: '2026-03-01T08:00:00Z',
  sender: '+1',
  simNumber: 1,
  transactionId: 'T1',
  size: 7,
  contentClass: '',
  contentLocation: 'http://mms.example/1',
} as const

test('encrypts the subject of an MMS, and leaves a notification without a subject as it is', async () => {
  const encrypted = encryptedEvent({ ...mms, subject: 'Holiday' }, owner.current) as typeof mms & { subject: string }
  expect(encrypted).toMatchObject({ ...mms, isEncrypted: true })
  expect(await opened(encrypted.subject)).toBe('Holiday')
  expect(encryptedEvent(mms, owner.current)).toEqual(mms)
})

test('uses the key of the account from the first message on, and uses each new version of the key', async () => {
  world.inboxKey = undefined
  for (const text of ['in clear', 'for one', 'for two']) {
    for (const pdu of world.text(text)) world.deliver(pdu)
    await world.pass(1000)
    if (text === 'for one') await owner.rotate()
    world.inboxKey = owner.current
  }
  const [clear, one = '', two = ''] = await contents()
  expect(clear).toBe('in clear')
  const versions = [one, two].map((value) => Number(/k=(\d+)/.exec(value)?.[1]))
  expect(versions).toEqual([owner.current.version - 1, owner.current.version])
  expect([await opened(one), await opened(two)]).toEqual(['for one', 'for two'])
})

test('the longest texts and data fit into an event', () => {
  const facts = { kind: 'received', id: 'i', receivedAt: mms.receivedAt, sender: '+1', simNumber: 1 } as const
  const longest: Extract<AgentEvent, { kind: 'received' }>[] = [
    { ...facts, type: 'SMS', text: '\u0905'.repeat(39_015), parts: 255 },
    { ...facts, type: 'DATA_SMS', data: Buffer.alloc(49_149).toString('base64'), port: 1 },
    { ...mms, subject: '日'.repeat(1024), contentLocation: '日'.repeat(2_048), transactionId: '日'.repeat(256) },
  ]
  for (const event of longest) {
    const sender = '日'.repeat(128)
    const encrypted = encryptedEvent({ ...event, sender }, { ...owner.current, aliases: owner.aliases })
    expect(agentEvent.safeParse(encrypted).success).toBe(true)
    expect(JSON.stringify(encrypted).length).toBeLessThan(250_000)
  }
})
