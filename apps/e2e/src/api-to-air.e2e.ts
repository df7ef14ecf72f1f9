import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, type MessageAnswer } from './house/api-client.ts'
import { House } from './house/house.ts'
import { Receiver } from './house/peers/receiver.ts'

let house: House
let receiver: Receiver

beforeAll(async () => {
  house = await House.start({
    modems: [{ number: '+447700900001' }, { personality: 'huawei-e3372', number: '+447700900002' }],
  })
  receiver = await Receiver.start()
})

afterAll(async () => {
  await house?.stop()
  await receiver?.stop()
})

const isEnded = ({ state }: MessageAnswer) => ['Delivered', 'Failed', 'Cancelled'].includes(state)

async function sent(message: object, path?: string) {
  const id = await house.api.send(message, path)
  return { id, message: await house.api.until(id, isEnded) }
}

function onAir(destination: string) {
  return house.emulator.ledger().filter((line) => line.destination === destination)
}

test('sends a text and reports its delivery', async () => {
  const { message } = await sent({ phoneNumbers: ['+447400100001'], textMessage: { text: 'Hello' } })
  expect(message.state).toBe('Delivered')
  expect(Object.keys(message.states)).toEqual(['Pending', 'Processed', 'Sent', 'Delivered'])
  expect(onAir('+447400100001').map(({ text }) => text)).toEqual(['Hello'])
})

test('sends a long text and emoji complete, in the right number of parts', async () => {
  const long = 'The quick brown fox jumps over the lazy dog. '.repeat(12)
  await sent({ phoneNumbers: ['+447400100002'], textMessage: { text: long } })
  expect(
    onAir('+447400100002')
      .map(({ text }) => text)
      .join(''),
  ).toBe(long)
  const emoji = 'Grüße 👩‍👩‍👧‍👦 '.repeat(15)
  await sent({ phoneNumbers: ['+447400100003'], textMessage: { text: emoji } })
  expect(
    onAir('+447400100003')
      .map(({ text }) => text)
      .join(''),
  ).toBe(emoji)
})

test('sends data to its port', async () => {
  const data = Buffer.from('Hello, application').toString('base64')
  const { message } = await sent({ phoneNumbers: ['+447400100004'], dataMessage: { data, port: 5000 } })
  expect(message.state).toBe('Delivered')
  expect(onAir('+447400100004')).toHaveLength(1)
})

test('sends a message to several numbers with the requested SIM', async () => {
  const numbers = ['+447400100011', '+447400100012', '+447400100013']
  const { message } = await sent({ phoneNumbers: numbers, textMessage: { text: 'All' }, simNumber: 2 })
  expect(message.recipients.map(({ state }) => state)).toEqual(['Delivered', 'Delivered', 'Delivered'])
  const imei = await house.emulator.imeiOf('modem1')
  expect(numbers.map((number) => onAir(number).map(({ modem }) => modem))).toEqual([[imei], [imei], [imei]])
})

test('sends a scheduled message at its time', async () => {
  const dueMs = Date.now() + 3000
  const { message } = await sent({
    phoneNumbers: ['+447400100021'],
    textMessage: { text: 'Later' },
    scheduleAt: new Date(dueMs).toISOString(),
  })
  // The relay goes by the clock of its database, which it knows only as exactly as the round trip is short.
  expect(Date.parse(message.states['Sent'] ?? '')).toBeGreaterThan(dueMs - 1000)
})

test('refuses a message for a SIM that the device does not have, and fails a message that the network refuses', async () => {
  const refused = await house.api.ask('POST', '/messages', {
    phoneNumbers: ['+447400100031'],
    textMessage: { text: 'x' },
    simNumber: 9,
  })
  expect(refused.status).toBe(400)
  await house.emulator.instruct('set-rule', { prefix: '+4474001004', policy: { outcome: 'rejected', cause: 1 } })
  const { message } = await sent({ phoneNumbers: ['+447400100401'], textMessage: { text: 'No' } })
  expect(message.state).toBe('Failed')
  expect(message.recipients[0]?.errorCode).toBe('refused')
})

test('a message that no modem can send in time expires, and a waiting message can be cancelled', async () => {
  for (const modem of ['modem0', 'modem1']) await house.emulator.instruct('unplug', { modem })
  await eventually(
    async () => (await house.api.ask('GET', '/devices')).json[0].simCards.map(({ state }: { state: string }) => state),
    (states: readonly string[]) => states.every((state) => state !== 'ready'),
  )
  const short = await house.api.send({ phoneNumbers: ['+447400100041'], textMessage: { text: 'Short' }, ttl: 5 })
  const waiting = await house.api.send({ phoneNumbers: ['+447400100042'], textMessage: { text: 'Never' } })
  await house.api.until(waiting, ({ state }) => state === 'Processed')
  const cancel = await house.api.ask('DELETE', `/messages/${waiting}`)
  expect(cancel.status).toBe(200)
  expect((await house.api.until(waiting, isEnded)).state).toBe('Cancelled')
  const expired = await house.api.until(short, isEnded)
  expect(expired.recipients[0]).toMatchObject({ state: 'Failed', errorCode: 'ttl_expired' })
  for (const modem of ['modem0', 'modem1']) await house.emulator.instruct('plug', { modem })
  await house.untilReady()
  expect([...onAir('+447400100041'), ...onAir('+447400100042')]).toEqual([])
})

test('incoming text, long text, data, flash SMS and MMS appear in the inbox and in webhooks', async () => {
  const events = ['sms:received', 'sms:data-received', 'mms:received']
  for (const event of events) {
    expect((await house.api.ask('POST', '/webhooks', { url: receiver.url, event })).status).toBe(201)
  }
  const to = { from: '+447400200001', to: 'modem0' }
  const long = 'A long one. '.repeat(40)
  await house.emulator.instruct('send-text', { ...to, text: 'Hi there' })
  await house.emulator.instruct('send-text', { ...to, text: long })
  await house.emulator.instruct('send-text', { ...to, text: 'Look!', class: 0 })
  await house.emulator.instruct('send-data', { ...to, data: '010203', destinationPort: 6000 })
  await house.emulator.instruct('send-mms', {
    ...to,
    transactionId: 'T1',
    subject: 'Photo',
    contentLocation: 'http://m/1',
  })
  const items = await eventually(
    async () => (await house.api.ask('GET', '/inbox')).json as { type: string; text?: string; recipient?: string }[],
    (found) => found.length >= 5,
  )
  expect(items.map(({ type }) => type).sort()).toEqual(['DATA_SMS', 'MMS', 'SMS', 'SMS', 'SMS'])
  expect(
    items
      .filter(({ text }) => text !== undefined)
      .map(({ text }) => text)
      .sort(),
  ).toEqual([long, 'Hi there', 'Look!'].sort())
  expect(items.every(({ recipient }) => recipient === '+447700900001')).toBe(true)
  await eventually(
    () => receiver.requests.length,
    (count) => count >= 5,
  )
  expect(
    receiver
      .of('sms:received')
      .map(({ payload }) => payload['message'])
      .sort(),
  ).toEqual([long, 'Hi there', 'Look!'].sort())
})

test('sends a USSD code and a reply to its menu', async () => {
  const [device] = (await house.api.ask('GET', '/devices')).json
  const { status, json } = await house.api.ask('POST', `/devices/${device.id}/ussd`, { code: '*100#', simNumber: 1 })
  expect(status).toBe(200)
  expect(json.text).not.toBe('')
})
