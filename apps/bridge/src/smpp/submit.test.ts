import { ApiError, ConnectionError, InvalidRequestError, RateLimitError, UnavailableError } from '@smsgw/client/errors'
import { expect, test } from 'vitest'
import { KEY, LOGIN, NUMBER, SMS, withSmppBridge } from '../testing/smpp-bridge.ts'

const current = withSmppBridge()

/** One part of a message, with a user data header. */
const part = (text: string, sequence: number, { total = 2, reference = 7 } = {}) => ({
  ...SMS,
  esm_class: 0x40,
  short_message: { udh: Buffer.of(5, 0, 3, reference, total, sequence), message: text },
})

test('confirms a message with its id after the API has accepted it', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  const answer = await client.ask('submit_sm', SMS)
  expect(answer.command_status).toBe(0)
  const [sent] = bridge.account.sent
  expect(sent).toMatchObject({ to: [`+${NUMBER}`], text: 'Hello', id: answer['message_id'] })
  // The API has ids of up to 36 characters. Receipts need characters that have the same code in GSM 7-bit and ASCII.
  expect(answer['message_id']).toMatch(/^[0-9a-f]{30}$/)
})

test('passes priority, times and the SIM of the source address to the API', async () => {
  const { bridge } = current
  await bridge.start()
  const sim = { slotIndex: 1, simNumber: 2, phoneNumber: '+447700900001', state: 'ready' }
  bridge.account.devices = [{ id: 'device', name: 'office', simCards: [sim] }] as never
  const client = await bridge.bound()
  const times = { schedule_delivery_time: '990101000000000+', validity_period: '990102000000000+' }
  await client.ask('submit_sm', { ...SMS, ...times, priority_flag: 2, source_addr: '447700900001' })
  expect(bridge.account.sent[0]?.request).toMatchObject({
    priority: 20,
    scheduleAt: '2099-01-01T00:00:00.000Z',
    validUntil: '2099-01-02T00:00:00.000Z',
    deviceId: 'device',
    simNumber: 2,
  })
})

test('ignores another source address, or refuses it if SMPP_SOURCE is refuse', async () => {
  const { bridge } = current
  await bridge.start()
  const sms = { ...SMS, source_addr_ton: 5, source_addr: 'ACME' }
  expect(await (await bridge.bound()).statusOf('submit_sm', sms)).toBe('ESME_ROK')
  await bridge.stop()
  await bridge.start({ SMPP_SOURCE: 'refuse' })
  expect(await (await bridge.bound()).statusOf('submit_sm', sms)).toBe('ESME_RINVSRCADR')
  expect(bridge.account.sent).toHaveLength(1)
})

test('reads long texts from message_payload, and several recipients from submit_multi', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  const { short_message: _, ...sms } = SMS
  const payload = { message_payload: { message: 'long '.repeat(300) } }
  expect(await client.statusOf('submit_sm', { ...sms, ...payload })).toBe('ESME_ROK')
  expect(await client.statusOf('data_sm', { ...sms, ...payload })).toBe('ESME_ROK')
  const destinations = [NUMBER, '447400123457'].map((destination_addr) => ({
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr,
  }))
  const answer = await client.ask('submit_multi', { dest_address: destinations, short_message: 'Hello' })
  expect(answer).toMatchObject({ command_status: 0, unsuccess_sme: [] })
  expect(bridge.account.sent.map(({ text }) => text.length)).toEqual([1_500, 1_500, 5])
  expect(bridge.account.sent[2]?.to).toEqual([`+${NUMBER}`, '+447400123457'])
})

test('sends the parts of a message as one message, in any order, when the last part has arrived', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  const second = await client.ask('submit_sm', part('two', 2))
  expect(second.command_status).toBe(0)
  expect(bridge.account.sent).toEqual([])
  const first = await client.ask('submit_sm', part('one ', 1))
  expect(bridge.account.sent).toMatchObject([{ text: 'one two', id: first['message_id'] }])
  expect(first['message_id']).toBe(second['message_id'])
  // A part that is submitted again does not start another message. The same reference with another text starts another
  // message.
  expect((await client.ask('submit_sm', part('one ', 1)))['message_id']).toBe(first['message_id'])
  await client.ask('submit_sm', part('three ', 1))
  await client.ask('submit_sm', part('four', 2))
  expect(bridge.account.sent.map(({ text }) => text)).toEqual(['one two', 'three four'])
})

test('keeps parts over a restart, and lets a client repeat the last part after a temporary error', async () => {
  const { bridge } = current
  await bridge.start()
  await (await bridge.bound()).ask('submit_sm', part('one ', 1))
  await bridge.stop()
  await bridge.start()
  const client = await bridge.bound()
  bridge.account.errorFor = () => new ConnectionError('cannot reach the API')
  expect(await client.statusOf('submit_sm', part('two', 2))).toBe('ESME_RSYSERR')
  bridge.account.errorFor = () => undefined
  expect(await client.statusOf('submit_sm', part('two', 2))).toBe('ESME_ROK')
  expect(bridge.account.sent).toMatchObject([{ text: 'one two' }])
})

test('keeps the parts of different clients, recipients and references apart', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  const other = await bridge.bound('bind_transmitter', { ...LOGIN, system_id: 'other' })
  await client.ask('submit_sm', part('a', 1))
  await other.ask('submit_sm', part('b', 2))
  await client.ask('submit_sm', { ...part('c', 2), destination_addr: '447400123457' })
  await client.ask('submit_sm', part('d', 2, { reference: 8 }))
  await client.ask('submit_sm', part('e', 2, { total: 3 }))
  expect(bridge.account.sent).toEqual([])
})

test('a message with a user_message_reference is sent once, even if it is repeated over a new connection', async () => {
  const { bridge } = current
  await bridge.start()
  const sms = { ...SMS, user_message_reference: 1 }
  const first = await (await bridge.bound()).ask('submit_sm', sms)
  await bridge.stop()
  await bridge.start()
  const client = await bridge.bound()
  expect((await client.ask('submit_sm', sms))['message_id']).toBe(first['message_id'])
  expect(bridge.account.sent).toHaveLength(1)
  // No answer was lost on this connection, so this is another message.
  await client.ask('submit_sm', sms)
  await client.ask('submit_sm', { ...sms, user_message_reference: 2 })
  await client.ask('submit_sm', SMS)
  await client.ask('submit_sm', SMS)
  expect(bridge.account.sent).toHaveLength(5)
})

test.each([
  ['a short code without a TON', { destination_addr: '72727', dest_addr_ton: 0 }],
  ['a number of the operator', { destination_addr: '1234567', dest_addr_ton: 3 }],
])('sends to %s', async (_, address) => {
  const { bridge } = current
  await bridge.start()
  expect(await (await bridge.bound()).statusOf('submit_sm', { ...SMS, ...address })).toBe('ESME_ROK')
  expect(bridge.account.sent).toMatchObject([{ to: [address.destination_addr] }])
})

test.each([
  ['a number that the API refuses', { destination_addr: '74001234567', dest_addr_ton: 0 }, 'ESME_RINVDSTADR'],
  ['an alphanumeric destination', { destination_addr: 'ACME', dest_addr_ton: 5 }, 'ESME_RINVDSTADR'],
  ['no text', { short_message: '' }, 'ESME_RINVMSGLEN'],
  ['an unknown priority', { priority_flag: 4 }, 'ESME_RINVPRTFLG'],
  ['an impossible validity', { validity_period: 'tomorrow' }, 'ESME_RINVEXPIRY'],
  ['an impossible schedule', { schedule_delivery_time: '991301000000000+' }, 'ESME_RINVSCHED'],
  ['an unknown kind of receipt', { registered_delivery: 3 }, 'ESME_RINVREGDLVFLG'],
  ['a wish to replace a message', { replace_if_present_flag: 1 }, 'ESME_RINVSUBREP'],
])('refuses %s', async (_, fields, status) => {
  const { bridge } = current
  await bridge.start()
  expect(await (await bridge.bound()).statusOf('submit_sm', { ...SMS, ...fields })).toBe(status)
  expect(bridge.account.sent).toEqual([])
})

const problem = (path: string) => ({
  status: 400,
  message: 'wrong',
  problem: { errors: [{ path, message: 'wrong' }] } as never,
})

test.each([
  ['no connection', new ConnectionError('cannot reach the API'), 'ESME_RSYSERR'],
  ['an internal error', new UnavailableError({ status: 500, message: 'failed' }), 'ESME_RSYSERR'],
  ['a full queue', new UnavailableError({ status: 503, message: 'full', retryAfterSeconds: 9 }), 'ESME_RMSGQFUL'],
  ['too many requests', new RateLimitError({ status: 429, message: 'slow down' }), 'ESME_RTHROTTLED'],
  ['a wrong number', new InvalidRequestError(problem('phoneNumbers[0]')), 'ESME_RINVDSTADR'],
  ['a text that is too long', new InvalidRequestError(problem('textMessage.text')), 'ESME_RINVMSGLEN'],
  ['a validity in the past', new InvalidRequestError(problem('validUntil')), 'ESME_RINVEXPIRY'],
  ['a schedule in the past', new InvalidRequestError(problem('scheduleAt')), 'ESME_RINVSCHED'],
  ['a limit of the key', new ApiError({ status: 403, message: 'not allowed' }), 'ESME_RSUBMITFAIL'],
])('maps the error %s of the API', async (_, error, status) => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  bridge.account.errorFor = () => error
  expect(await client.statusOf('submit_sm', SMS)).toBe(status)
})

test('queries and cancels messages', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound()
  const { message_id } = await client.ask('submit_sm', SMS)
  expect(await client.ask('query_sm', { message_id })).toMatchObject({ message_state: 1, message_id })
  expect(await client.statusOf('cancel_sm', { message_id })).toBe('ESME_ROK')
  expect(await client.ask('query_sm', { message_id })).toMatchObject({ message_state: 4, error_code: 4 })
  bridge.account.setState(String(message_id), 'Delivered')
  expect(await client.ask('query_sm', { message_id })).toMatchObject({ message_state: 2 })
  expect(await client.statusOf('cancel_sm', { message_id })).toBe('ESME_RCANCELFAIL')
  expect(await client.statusOf('query_sm', { message_id: 'unknown' })).toBe('ESME_RINVMSGID')
  expect(await client.statusOf('cancel_sm', { message_id: 'unknown' })).toBe('ESME_RINVMSGID')
  expect(await client.statusOf('cancel_sm', { destination_addr: NUMBER })).toBe('ESME_RCANCELFAIL')
  expect(await client.statusOf('replace_sm', { message_id })).toBe('ESME_RREPLACEFAIL')
})

test('answers 500 requests of one client that does not wait, and sends each once', async () => {
  const { bridge } = current
  await bridge.start()
  const client = await bridge.bound('bind_transmitter', { system_id: 'app', password: KEY })
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, at) => client.statusOf('submit_sm', { ...SMS, short_message: `text ${at}` })),
  )
  expect(new Set(answers)).toEqual(new Set(['ESME_ROK']))
  expect(new Set(bridge.account.sent.map(({ text }) => text)).size).toBe(500)
  expect(bridge.account.sent).toHaveLength(500)
})
