import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'
import {
  type ActionNode,
  execution,
  N8nPackage,
  TriggeredWorkflow,
  type TriggerNode,
} from './house/peers/n8n-runtime.ts'

// Tests the published nodes with the parts of n8n that they use, and with a real gateway. n8n itself is too large to be
// installed for a test.

const NUMBER = '+447400123456'
const send = { resource: 'message', operation: 'send', to: NUMBER, text: 'Door open' }
let nodes: N8nPackage
let gateway: Gateway
let account: Record<string, string>

beforeAll(async () => {
  nodes = new N8nPackage()
  gateway = await Gateway.start()
  await gateway.untilReady()
  account = { url: `${gateway.url}/`, authentication: 'password', ...credentialsIn(gateway.folder) }
})

afterAll(async () => {
  await gateway?.stop()
  nodes?.remove()
})

const run = async (parameters: object, options = {}) => {
  const node = nodes.load<ActionNode>('nodes/Smsgw/Smsgw.node.js')
  const [items = []] = await node.execute.call(execution(account, { ...parameters }, options))
  return items.map(({ json }) => json)
}

test('sends, waits for the delivery, and reads message and conversation', async () => {
  const [message] = await run(send, { id: 'first' })
  const [ended] = await run({ resource: 'message', operation: 'wait', messageId: message?.['id'] })
  expect(ended).toMatchObject({ id: message?.['id'], state: 'Delivered' })
  expect(await run({ resource: 'message', operation: 'get', messageId: message?.['id'] })).toEqual([ended])
  const conversation = await run({ resource: 'conversation', operation: 'read', number: NUMBER, limit: 1 })
  expect(conversation).toMatchObject([{ direction: 'out', text: 'Door open' }])
  expect(await run({ resource: 'conversation', operation: 'getMany' })).toMatchObject([{ number: NUMBER }])
  expect(await run({ resource: 'received', operation: 'getMany' })).toEqual([])
})

test('a retry within an execution sends nothing again, but another execution sends again', async () => {
  const ids = [await run(send, { id: 'a' }), await run(send, { id: 'a' }), await run(send, { id: 'b' })].map(
    ([message]) => message?.['id'],
  )
  expect(ids[1]).toBe(ids[0])
  expect(ids[2]).not.toBe(ids[0])
})

test('a scheduled message has the time zone of the workflow, and can be cancelled', async () => {
  const options = { scheduleAt: '2036-03-01T15:00:00', priority: 5 }
  const [message] = await run({ ...send, options }, { id: 'later' })
  expect(message).toMatchObject({ scheduleAt: '2036-03-01T14:00:00.000Z', priority: 5 })
  await run({ resource: 'message', operation: 'cancel', messageId: message?.['id'] })
  await gateway.api.until(String(message?.['id']), ({ state }) => state === 'Cancelled')
})

test('sends to a short code and another number', async () => {
  const [message] = await run({ ...send, to: '72727, +447400123456' }, { id: 'short' })
  expect(message).toMatchObject({ recipients: [{ phoneNumber: '72727' }, { phoneNumber: '+447400123456' }] })
})

test('an error contains the name of the field; with "continue on fail", the error is an item', async () => {
  await expect(run({ ...send, to: 'nobody' })).rejects.toThrow(/^To: "nobody" is not a valid phone number/)
  expect(await run({ ...send, to: 'nobody' }, { continues: true })).toEqual([
    { error: expect.stringMatching(/^To: "nobody"/) },
  ])
})

test('the trigger registers its webhook, verifies requests, and removes the webhook', async () => {
  const node = nodes.load<TriggerNode>('nodes/SmsgwTrigger/SmsgwTrigger.node.js')
  const workflow = await TriggeredWorkflow.start(node, account, { events: ['sms:received', 'sms:failed'] })
  try {
    expect(await workflow.call('checkExists')).toBe(false)
    await workflow.call('create')
    expect(await workflow.call('checkExists')).toBe(true)
    await gateway.api.ask('POST', '/virtual-phone', { from: NUMBER, text: 'Is it open?' })
    await eventually(
      () => workflow.events,
      (events) => events.length > 0,
    )
    expect(workflow.events).toMatchObject([{ event: 'sms:received', sender: NUMBER, message: 'Is it open?' }])

    const forged = await fetch(workflow.url, { method: 'POST', body: JSON.stringify({ event: 'sms:received' }) })
    expect(forged.status).toBe(401)
    expect(workflow.events).toHaveLength(1)

    // Simulates that n8n was restored from a backup and has lost the secret.
    workflow.staticData['secret'] = undefined
    expect(await workflow.call('checkExists')).toBe(false)
    await workflow.call('create')
    expect((await gateway.api.ask('GET', '/webhooks')).json).toHaveLength(1)
    await gateway.api.ask('POST', '/virtual-phone', { from: NUMBER, text: 'Again' })
    await eventually(
      () => workflow.events,
      (events) => events.length > 1,
    )

    await workflow.call('delete')
    expect((await gateway.api.ask('GET', '/webhooks')).json).toEqual([])
    expect(workflow.staticData).toEqual({})
  } finally {
    await workflow.stop()
  }
})

test('the trigger explains why the gateway cannot use its address', async () => {
  const node = nodes.load<TriggerNode>('nodes/SmsgwTrigger/SmsgwTrigger.node.js')
  const elsewhere = { ...account, url: 'http://192.0.2.1:3000' }
  const workflow = await TriggeredWorkflow.start(node, elsewhere, { events: ['sms:received'] })
  try {
    await expect(workflow.call('create')).rejects.toThrow(
      `cannot reach the webhook URL ${workflow.url}, which is valid on the machine of n8n only`,
    )
  } finally {
    await workflow.stop()
  }
})
