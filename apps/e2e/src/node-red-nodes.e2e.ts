import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { credentialsIn, Gateway } from './house/gateway.ts'
import { FlowRuntime } from './house/peers/flow-runtime.ts'

const NUMBER = '+447400123456'
/** Answers each message with the same text. */
const ECHO = '+12025550121'
const fields = { to: '', text: '', deviceId: '', simNumber: '', priority: '', ttl: '', timeoutSeconds: '60' }
let gateway: Gateway
let runtime: FlowRuntime

beforeAll(async () => {
  runtime = new FlowRuntime()
  gateway = await Gateway.start()
  await gateway.untilReady()
})

afterAll(async () => {
  await runtime?.stop()
  await gateway?.stop()
})

async function deploy(events = 'received'): Promise<void> {
  const account = { id: 'account', type: 'smsgw-account', url: gateway.url, authentication: 'password' }
  const lookup = (operation: string) => ({ operation, limit: '10', timeoutSeconds: '60', account: 'account' })
  const flow = [
    account,
    { id: 'send', type: 'smsgw-send', account: 'account', wait: 'accepted', ...fields },
    { id: 'deliver', type: 'smsgw-send', account: 'account', wait: 'ended', ...fields },
    { id: 'receive', type: 'smsgw-receive', account: 'account', events, from: '' },
    { id: 'message', type: 'smsgw-lookup', ...lookup('message') },
    { id: 'conversation', type: 'smsgw-lookup', ...lookup('conversation') },
  ]
  await runtime.deploy(flow, { account: { ...credentialsIn(gateway.folder) } })
  await eventually(
    () => runtime.node('receive').statusText,
    (text) => text === 'connected',
  )
}

test('sends, waits for the delivery, receives the answer, and reads message and conversation', async () => {
  await deploy()
  const { payload, messageId } = await runtime.node('deliver').receive({ _msgid: '1', to: ECHO, payload: 'Door open' })
  expect(payload).toMatchObject({ id: messageId, state: 'Delivered' })
  const [answer] = await eventually(
    () => runtime.node('receive').outputs,
    (outputs) => outputs.length > 0,
  )
  expect(answer).toMatchObject({ payload: 'Door open', from: ECHO, topic: ECHO, received: { type: 'SMS' } })
  // A later send node of the flow answers the sender.
  const reply = await runtime.node('send').receive({ ...answer, payload: 'Thanks' })
  expect(reply.payload.recipients).toMatchObject([{ phoneNumber: ECHO }])
  expect((await runtime.node('message').receive({ messageId })).payload).toMatchObject({ id: messageId })
  const { payload: entries } = await runtime.node('conversation').receive({ number: ECHO })
  expect(entries.map(({ direction }: { direction: string }) => direction)).toContain('in')
})

test('a message that the flow repeats is sent once, and another text of the same message is also sent', async () => {
  await deploy()
  const message = { _msgid: 'a', to: NUMBER, payload: 'x' }
  const { messageId } = await runtime.node('send').receive(message)
  expect((await runtime.node('send').receive(message)).messageId).toBe(messageId)
  expect((await runtime.node('send').receive({ ...message, payload: 'y' })).messageId).not.toBe(messageId)
})

test('sends to a short code and another number', async () => {
  await deploy()
  const { payload } = await runtime.node('send').receive({ to: `72727, ${NUMBER}`, payload: 'STATUS' })
  expect(payload).toMatchObject({ recipients: [{ phoneNumber: '72727' }, { phoneNumber: NUMBER }] })
})

test('an error names the field of the node', async () => {
  await deploy()
  const send = runtime.node('send')
  await expect(send.receive({ to: 'nobody', payload: 'x' })).rejects.toThrow(/^To: "nobody" is not a valid phone/)
  await expect(send.receive({ to: NUMBER, payload: 'x', sms: { ttl: -1 } })).rejects.toThrow(/^Valid for: /)
  await expect(send.receive({ payload: 'x' })).rejects.toThrow('set msg.to')
})

test('messages that arrive while Node-RED is stopped are passed to the flow once after its start', async () => {
  await deploy()
  await runtime.deploy([])
  for (const text of ['first', 'second']) await gateway.api.ask('POST', '/virtual-phone', { from: NUMBER, text })
  await eventually(
    async () => (await gateway.api.ask('GET', `/inbox?sender=${encodeURIComponent(NUMBER)}`)).json.length,
    (count) => count === 2,
  )
  await deploy()
  const texts = () => runtime.node('receive').outputs.flatMap(({ from, payload }) => (from === NUMBER ? [payload] : []))
  await eventually(texts, (found) => found.length >= 2)
  expect(texts().toSorted()).toEqual(['first', 'second'])
  await deploy()
  await gateway.api.ask('POST', '/virtual-phone', { from: NUMBER, text: 'third' })
  await eventually(texts, (found) => found.length > 0)
  expect(texts()).toEqual(['third'])
})

test('starts a flow for each new state of a sent message', async () => {
  await deploy('states')
  const { messageId } = await runtime.node('send').receive({ _msgid: 'states', to: NUMBER, payload: 'x' })
  const states = () =>
    runtime.node('receive').outputs.flatMap((output) => (output.messageId === messageId ? [output.topic] : []))
  await eventually(states, (found) => found.includes('Delivered'))
})

test('the dialog tests an account, and sends a stored password only to the address for which it was entered', async () => {
  await deploy()
  const { username, password } = credentialsIn(gateway.folder)
  const entered = { id: 'account', url: gateway.url, authentication: 'password', username, password: '__PWRD__' }
  expect(await runtime.admin('/smsgw/test', entered)).toMatchObject({ account: 'sms' })
  expect(await runtime.admin('/smsgw/test', { ...entered, password })).toMatchObject({ account: 'sms' })
  expect(await runtime.admin('/smsgw/test', { ...entered, password: 'wrong' })).toEqual({
    problem: expect.stringMatching(/^The gateway refused the credentials: /),
  })
  const elsewhere = { ...entered, url: 'http://127.0.0.1:9' }
  expect(await runtime.admin('/smsgw/test', elsewhere)).toEqual({ problem: expect.stringContaining('enter the key') })
})
