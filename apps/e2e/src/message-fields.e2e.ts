// Tests number, SIM and encryption of a message, from the API to the network and to the webhooks.
import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { Gateway } from './house/gateway.ts'
import { Receiver } from './house/peers/receiver.ts'

const PASSPHRASE = 'a passphrase of the sender'
let gateway: Gateway
let receiver: Receiver
let own: string

beforeAll(async () => {
  gateway = await Gateway.start({ DEFAULT_REGION: 'US', ENCRYPTION_PASSPHRASE: PASSPHRASE })
  receiver = await Receiver.start()
  await gateway.untilReady()
  own = (await phone()).gatewayNumber
  for (const event of ['sms:failed', 'sms:cancelled', 'system:ping'])
    await gateway.api.ask('POST', '/webhooks', { id: event.replace(':', '-'), event, url: receiver.url })
})

afterAll(async () => {
  await gateway?.stop()
  await receiver?.stop()
})

test('accepts a national number, and filters and conversations find it in any format', async () => {
  const id = await gateway.api.send({ phoneNumbers: ['2012223344'], textMessage: { text: 'Hello' } })
  const { recipients } = await gateway.api.until(id, ({ state }) => state === 'Delivered')
  expect(recipients[0]?.phoneNumber).toBe('+12012223344')
  const { json } = await gateway.api.ask('GET', '/conversations/2012223344')
  expect(json).toMatchObject([{ direction: 'out', id }])
})

test('events of failed and cancelled messages contain SIM and number', async () => {
  const failed = await gateway.api.send({ phoneNumbers: ['+12025550110'], textMessage: { text: 'x' } })
  const later = new Date(Date.now() + 3_600_000).toISOString()
  const body = { phoneNumbers: ['+12012223344'], textMessage: { text: 'x' }, simNumber: 1, scheduleAt: later }
  const cancelled = await gateway.api.send(body)
  await gateway.api.ask('DELETE', `/messages/${cancelled}`)
  for (const messageId of [failed, cancelled]) {
    const { payload } = await receiver.until(({ payload }) => payload['messageId'] === messageId)
    expect(payload).toMatchObject({ simNumber: 1, sender: own })
  }
  expect(await gateway.api.message(failed)).toMatchObject({ simNumber: 1 })
})

test('only the agent decrypts encrypted data', async () => {
  const data = Buffer.from([1, 2, 255]).toString('base64')
  const asked = {
    phoneNumbers: [encrypted('+12012223355')],
    dataMessage: { data: encrypted(data), port: 5000 },
    isEncrypted: true,
  }
  const id = await gateway.api.send(asked)
  const message = await gateway.api.until(id, ({ state }) => state === 'Delivered')
  expect(message).toMatchObject({
    dataMessage: asked.dataMessage,
    recipients: [{ phoneNumber: asked.phoneNumbers[0] }],
  })
  const { messages } = await eventually(phone, ({ phones }) => phones.includes('+12012223355'))
  expect(messages[0]).toMatchObject({ to: '+12012223355', direction: 'to-phone' })
})

test('refuses each field that is declared as encrypted but is not encrypted', async () => {
  const { status, json } = await gateway.api.ask('POST', '/messages', {
    phoneNumbers: [encrypted('+12012223355'), '+12012223344'],
    dataMessage: { data: 'AQID', port: 5000 },
    isEncrypted: true,
  })
  expect(status).toBe(400)
  expect(json.errors.map(({ path }: { path: string }) => path).sort()).toEqual(['dataMessage.data', 'phoneNumbers[1]'])
})

test('ping webhook and telemetry sample have the fields of the health response', async () => {
  await gateway.api.ask('POST', '/webhooks/system-ping/test')
  const sample = await receiver.until(({ event }) => event === 'system:ping')
  receiver.requests.length = 0
  await gateway.api.ask('PATCH', '/settings', { ping: { interval_seconds: 1 } })
  const ping = await receiver.until(({ event }) => event === 'system:ping')
  const { json: health } = await gateway.api.ask('GET', '/health')
  const [ofPing, ofSample] = [ping, sample].map(({ payload }) => payload['health'] as typeof health)
  expect(Object.keys(ofPing).sort()).toEqual(Object.keys(health).sort())
  expect(Object.keys(ofSample).sort()).toEqual(Object.keys(health).sort())
  expect(Object.keys(ofPing.checks).sort()).toEqual(Object.keys(ofSample.checks).sort())
  // On a busy machine, the agent warns that its event loop was delayed.
  const status = expect.stringMatching(/^(?:pass|warn)$/)
  expect(ofPing).toMatchObject({ status, version: health.version, releaseId: health.releaseId })
})

interface Phone {
  readonly gatewayNumber: string
  readonly phones: readonly string[]
  readonly messages: readonly object[]
}

async function phone(): Promise<Phone> {
  return (await gateway.api.ask('GET', '/virtual-phone')).json as Phone
}

function encrypted(text: string): string {
  const salt = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', pbkdf2Sync(PASSPHRASE, salt, 1_000, 32, 'sha1'), salt)
  const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]).toString('base64')
  return `$aes-256-cbc/pbkdf2-sha1$i=1000$${salt.toString('base64')}$${ciphertext}`
}
