import { afterAll, beforeAll, expect, test } from 'vitest'
import { House } from './house/house.ts'
import { Receiver } from './house/peers/receiver.ts'

let house: House
let receiver: Receiver

beforeAll(async () => {
  house = await House.start({ agent: { IN_DOUBT_SECONDS: '5', IN_DOUBT_HOLD_SECONDS: '1' } })
  receiver = await Receiver.start()
  for (const event of ['sms:sent', 'sms:failed'])
    expect((await house.api.ask('POST', '/webhooks', { url: receiver.url, event })).status).toBe(201)
})

afterAll(async () => {
  await house?.stop()
  await receiver?.stop()
})

async function send(id: string, phoneNumber: string, onUncertain?: string) {
  const body = { id, phoneNumbers: [phoneNumber], textMessage: { text: id }, withDeliveryReport: false, onUncertain }
  return await house.api.ask('POST', '/messages', body)
}

const submissionsOf = (id: string) => house.emulator.ledger().filter(({ text }) => text === id)
const ended = async (id: string) =>
  (await house.api.until(id, ({ state }) => state === 'Sent' || state === 'Failed')).recipients[0]

// The modem's answer to every message to this number is lost.
const ANSWERS_LOST = '+12025550119'

test('a message with onUncertain resend is sent a second time if its answer was lost, and is marked everywhere as a possible duplicate', async () => {
  await house.emulator.instruct('set-fault', {
    modem: 'modem0',
    fault: 'submit-answer-lost',
    options: { all: true, times: 1 },
  })
  const { status, json } = await send('lost', '+447400200101', 'resend')
  expect([status, json.onUncertain]).toEqual([202, 'resend'])
  expect(await ended('lost')).toEqual({ phoneNumber: '+447400200101', state: 'Sent', possibleDuplicate: true })
  expect(submissionsOf('lost')).toHaveLength(2)
  const { payload } = await receiver.until(
    ({ event, payload }) => event === 'sms:sent' && payload['messageId'] === 'lost',
  )
  expect(payload).toMatchObject({ possibleDuplicate: true })
})

test('a message is sent at most twice, and only once without resend', async () => {
  await Promise.all([send('twice', ANSWERS_LOST, 'resend'), send('once', ANSWERS_LOST)])
  expect(await ended('twice')).toMatchObject({ state: 'Failed', errorCode: 'submit_unknown', possibleDuplicate: true })
  expect(submissionsOf('twice')).toHaveLength(2)
  expect(await ended('once')).not.toHaveProperty('possibleDuplicate')
  expect(submissionsOf('once')).toHaveLength(1)
  const failure = await receiver.until(
    ({ event, payload }) => event === 'sms:failed' && payload['messageId'] === 'twice',
  )
  expect(failure.payload).toMatchObject({ possibleDuplicate: true })
})

test('a message whose answer arrives is sent once, and is not marked as a possible duplicate', async () => {
  await send('answered', '+447400200100', 'resend')
  expect(await ended('answered')).toEqual({ phoneNumber: '+447400200100', state: 'Sent' })
  expect(submissionsOf('answered')).toHaveLength(1)
})

test('an unknown value of onUncertain is refused', async () => {
  const { status, json } = await send('refused', '+447400200102', 'always')
  expect(status).toBe(400)
  expect(JSON.stringify(json)).toContain('onUncertain')
})
