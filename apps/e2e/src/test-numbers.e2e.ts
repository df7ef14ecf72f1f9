import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { Gateway } from './house/gateway.ts'

let gateway: Gateway

beforeAll(async () => {
  gateway = await Gateway.start({ IN_DOUBT_SECONDS: '5', IN_DOUBT_HOLD_SECONDS: '1' })
  await gateway.untilReady()
})

afterAll(() => gateway?.stop())

// Each test uses its own number, so that the messages can be sent at the same time.
test.concurrent.each([
  ['+12025550110', 'Failed', '(CMS 1)'],
  ['+12025550111', 'Failed', '(CMS 21)'],
  ['+12025550112', 'Delivered', undefined],
  ['+12025550113', 'Delivered', undefined],
  ['+12025550114', 'Delivered', undefined],
  ['+12025550116', 'Failed', '(TP-ST 0x43)'],
  ['+12025550117', 'Failed', '(TP-ST 0x46)'],
  ['+12025550118', 'Delivered', undefined],
  ['+12025550119', 'Failed', 'submit_unknown'],
  ['+12025550120', 'Delivered', undefined],
  ['+12025550121', 'Delivered', undefined],
  ['+12025550122', 'Delivered', undefined],
] as const)('a message to %s ends as %s', async (number, state, reason) => {
  const id = await gateway.api.send({ phoneNumbers: [number], textMessage: { text: `Hello ${number}` } })
  const { recipients } = await gateway.api.until(id, (message) => ['Delivered', 'Failed'].includes(message.state))
  const error = recipients[0]?.error
  expect(recipients[0]).toMatchObject({ state })
  if (reason === undefined) expect(error ?? null).toBeNull()
  else expect(error).toContain(reason)
})

test('a message to +12025550115 stays Sent, because no report arrives', async () => {
  const { json } = await gateway.api.ask('GET', '/virtual-phone')
  const numbers = (json.testNumbers as { number: string }[]).map(({ number }) => number)
  expect(numbers).toContain('+12025550115')
  const id = await gateway.api.send({ phoneNumbers: ['+12025550115'], textMessage: { text: 'Hello' } })
  await gateway.api.until(id, ({ state }) => state === 'Sent')
  // Waits for the report of a later message, because a report for the first message would have arrived before it.
  const later = await gateway.api.send({ phoneNumbers: ['+12025550118'], textMessage: { text: 'Later' } })
  await gateway.api.until(later, ({ state }) => state === 'Delivered')
  expect((await gateway.api.message(id)).state).toBe('Sent')
})

test('the numbers that reply have sent messages to the gateway', async () => {
  const inbox = await eventually(
    async () => (await gateway.api.ask('GET', '/inbox')).json as { sender: string; text: string }[],
    (messages) => messages.length === 2,
  )
  expect(inbox.map(({ sender, text }) => [sender, text]).sort()).toEqual([
    ['+12025550121', 'Hello +12025550121'],
    ['+12025550122', 'STOP'],
  ])
})
