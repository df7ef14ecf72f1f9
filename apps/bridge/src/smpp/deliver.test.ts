import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { KEY, LOGIN, NUMBER, REVOKED_KEY, SMS, withSmppBridge } from '../testing/smpp-bridge.ts'

const current = withSmppBridge()
const textOf = (pdu: { readonly [field: string]: unknown } | undefined) =>
  (pdu?.['short_message'] as { message: string } | undefined)?.message

test('delivers each received message to one receiver, with the addresses of sender and SIM', async () => {
  const { bridge } = current
  await bridge.start()
  const clients = [await bridge.bound(), await bridge.bound('bind_receiver')]
  const transmitter = await bridge.bound('bind_transmitter')
  for (const text of ['one', 'two', 'three']) bridge.account.receive(text)
  const received = () => clients.flatMap((client) => client.received)
  await expect.poll(() => received().map(textOf).toSorted()).toEqual(['one', 'three', 'two'])
  expect(received()[0]).toMatchObject({
    source_addr_ton: 1,
    source_addr_npi: 1,
    source_addr: NUMBER,
    esm_class: 0,
    data_coding: 0,
  })
  expect(transmitter.received).toEqual([])
})

test('leaves out the sender of a message with a hidden number, because its alias is too long for an address', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  bridge.account.receive('one', { sender: `alias:${'k'.repeat(64)}` })
  await expect.poll(() => client.received).toMatchObject([{ source_addr_ton: 0, source_addr_npi: 0, source_addr: '' }])
})

test('keeps received messages until a receiver binds, also over a restart of the bridge', async () => {
  const { bridge } = current
  await bridge.start()
  bridge.account.receive('one')
  await sleep(100)
  await bridge.stop()
  await bridge.start()
  const client = await bridge.bound()
  await expect.poll(() => client.received.map(textOf)).toEqual(['one'])
  await bridge.stop()
  await bridge.start()
  const next = await bridge.bound()
  await sleep(200)
  expect(next.received).toEqual([])
})

test('sends a message that was not answered to the next receiver', async () => {
  const { bridge } = current
  await bridge.start()
  const silent = await bridge.bound()
  silent.answerTo = () => undefined
  bridge.account.receive('one')
  await expect.poll(() => silent.received).toHaveLength(1)
  silent.destroy()
  const client = await bridge.bound()
  await expect.poll(() => client.received.map(textOf)).toEqual(['one'])
})

test('drops a message that a receiver refuses permanently, and delivers the next message', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  client.answerTo = (pdu) => ({ command_status: textOf(pdu) === 'one' ? 0x65 : 0 })
  bridge.account.receive('one')
  bridge.account.receive('two')
  await expect.poll(() => client.received.map(textOf)).toEqual(['one', 'two'])
  await bridge.stop()
  await bridge.start()
  const next = await bridge.bound()
  await sleep(200)
  expect(next.received).toEqual([])
})

test('never delivers received messages to a client of another account', async () => {
  const { bridge } = current
  await bridge.start()
  const foreign = await bridge.bound('bind_receiver', { system_id: 'app', password: `${KEY}2` })
  bridge.account.receive('one')
  await sleep(200)
  expect(foreign.received).toEqual([])
  const client = await bridge.bound()
  await expect.poll(() => client.received.map(textOf)).toEqual(['one'])
  expect(foreign.received).toEqual([])
})

test('delivers texts in their encodings, and long texts in message_payload', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  for (const text of ['€', 'Привет', 'x'.repeat(300)]) bridge.account.receive(text)
  await expect.poll(() => client.received).toHaveLength(3)
  const [euro, cyrillic, long] = client.received
  expect([euro?.['data_coding'], textOf(euro)]).toEqual([0, '€'])
  expect([cyrillic?.['data_coding'], textOf(cyrillic)]).toEqual([8, 'Привет'])
  expect((long?.['message_payload'] as { message: string } | undefined)?.message).toBe('x'.repeat(300))
})

test('delivers long texts in parts if SMPP_LONG_TEXT is parts', async () => {
  const { bridge } = current
  await bridge.start({ SMPP_LONG_TEXT: 'parts' })
  const client = await bridge.bound()
  bridge.account.receive('x'.repeat(300))
  await expect.poll(() => client.received).toHaveLength(2)
  const parts = client.received.map((pdu) => pdu['short_message'] as { udh: Buffer[] | Buffer; message: string })
  expect(parts.map(({ message }) => message.length)).toEqual([153, 147])
  expect(client.received.map((pdu) => pdu['esm_class'])).toEqual([0x40, 0x40])
})

test('sends a receipt for a delivered message, to the system id and key that submitted it', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  const other = await bridge.bound('bind_transceiver', { ...LOGIN, system_id: 'other' })
  const { message_id } = await client.ask('submit_sm', { ...SMS, source_addr: '447700900001', registered_delivery: 1 })
  await client.ask('submit_sm', SMS)
  const id = String(message_id)
  bridge.account.setState(id, 'Sent')
  for (const { id: sent } of bridge.account.sent) bridge.account.setState(sent, 'Delivered')
  await expect.poll(() => client.received).toHaveLength(1)
  const [receipt] = client.received
  expect(receipt).toMatchObject({
    esm_class: 4,
    source_addr: NUMBER,
    destination_addr: '447700900001',
    receipted_message_id: id,
    message_state: 2,
  })
  expect(textOf(receipt)).toBe(
    `id:${id} sub:001 dlvrd:001 submit date:2603010846 done date:2603010846 stat:DELIVRD err:000 text:Hello`,
  )
  await sleep(100)
  expect(other.received).toEqual([])
})

test('sends receipts about failures only for registered_delivery 2, and one for each recipient', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  const first = await client.ask('submit_sm', { ...SMS, registered_delivery: 2 })
  const second = await client.ask('submit_sm', { ...SMS, registered_delivery: 2 })
  const destinations = [NUMBER, '447400123457'].map((destination_addr) => ({
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr,
  }))
  const multi = { dest_address: destinations, short_message: 'Hello', registered_delivery: 1 }
  const third = await client.ask('submit_multi', multi)
  bridge.account.setState(String(first['message_id']), 'Delivered')
  bridge.account.setState(String(second['message_id']), 'Failed')
  bridge.account.setState(String(third['message_id']), 'Cancelled')
  await expect.poll(() => client.received).toHaveLength(3)
  expect(client.received.map((pdu) => [pdu['receipted_message_id'], pdu['message_state'], pdu['source_addr']])).toEqual(
    [
      [second['message_id'], 5, NUMBER],
      [third['message_id'], 4, NUMBER],
      [third['message_id'], 4, '447400123457'],
    ],
  )
})

test('receipts survive a restart, and the end of the connection before they are answered', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  client.answerTo = () => undefined
  const { message_id } = await client.ask('submit_sm', { ...SMS, registered_delivery: 1 })
  await bridge.stop()
  bridge.account.setState(String(message_id), 'Delivered')
  await bridge.start()
  const silent = await bridge.connect()
  silent.answerTo = () => undefined
  await silent.ask('bind_transceiver', LOGIN)
  await expect.poll(() => silent.received).toHaveLength(1)
  await bridge.stop()
  await bridge.start()
  const next = await bridge.bound()
  await expect.poll(() => next.received.map((pdu) => pdu['receipted_message_id'])).toEqual([message_id])
})

test('sends one receipt for each part that requests a receipt', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  for (const sequence of [1, 2]) {
    const short_message = { udh: Buffer.of(5, 0, 3, 7, 2, sequence), message: 'part' }
    await client.ask('submit_sm', { ...SMS, esm_class: 0x40, short_message, registered_delivery: 1 })
  }
  bridge.account.setState(bridge.account.sent[0]?.id ?? '', 'Delivered')
  await expect.poll(() => client.received).toHaveLength(2)
})

test('a client whose key was revoked is disconnected, and another client receives the received messages', async () => {
  const { bridge } = current
  await bridge.start()
  const revoked = await bridge.bound('bind_receiver', { system_id: 'old', password: REVOKED_KEY })
  const client = await bridge.bound()
  for (let count = 0; count < 15; count += 1) bridge.account.receive(`text ${count}`)
  await revoked.closed
  await expect.poll(() => client.received).toHaveLength(15)
  expect(revoked.received).toEqual([])
})

test('delivers messages to another receiver while a receiver temporarily refuses them', async () => {
  const { bridge } = current
  await bridge.start()
  const full = await bridge.bound()
  full.answerTo = () => ({ command_status: 0x14 })
  const client = await bridge.bound()
  for (let count = 0; count < 60; count += 1) bridge.account.receive(`text ${count}`)
  await expect.poll(() => client.received.length).toBeGreaterThan(40)
  expect(full.received.length).toBeLessThan(20)
})

test('sends no second receipt when a state is reported again', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  const send = { ...SMS, registered_delivery: 1, user_message_reference: 7 }
  const { message_id } = await client.ask('submit_sm', send)
  bridge.account.setState(String(message_id), 'Delivered')
  await expect.poll(() => client.received).toHaveLength(1)
  // The client did not receive the answer, so it submits the message again over a new connection.
  const next = await bridge.bound()
  expect((await next.ask('submit_sm', send))['message_id']).toBe(message_id)
  bridge.account.setState(String(message_id), 'Delivered')
  await sleep(200)
  expect(client.received.length + next.received.length).toBe(1)
})
