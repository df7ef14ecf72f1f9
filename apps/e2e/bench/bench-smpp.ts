// Measures how many submit_sm a gateway confirms per second, next to plain `POST /messages` of the same run. The
// messages are scheduled for later, so that no modem is used.

import { credentialsIn, Gateway } from '../src/house/gateway.ts'
import { freePort } from '../src/house/machine/free-port.ts'
import { SmppClient } from '../src/house/peers/smpp-client.ts'

const ROUNDS = 7
const COUNT = 300
/** The number of concurrent requests. */
const WINDOW = 10
const NUMBER = '447400123456'

const port = await freePort()
const gateway = await Gateway.start({ SMPP_PORT: String(port), SMPP_USERS: 'bench=qx7Ru2dA' })
await gateway.untilReady()
const client = await SmppClient.bind(port, { system_id: 'bench', password: 'qx7Ru2dA' }, () => undefined)
const { username, password } = credentialsIn(gateway.folder)
const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

const sms = {
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: NUMBER,
  schedule_delivery_time: '000101000000000R',
}

const submit = async (text: string, more: object = {}) => {
  const { command_status: status } = await client.ask('submit_sm', { ...sms, short_message: text, ...more })
  if (status !== 0) throw new Error(`submit_sm: status ${status}`)
}

const measured = {
  'POST /messages': async (text: string) => {
    const scheduleAt = new Date(Date.now() + 86_400_000).toISOString()
    const response = await fetch(`${gateway.url}/3rdparty/v1/messages`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ phoneNumbers: [`+${NUMBER}`], textMessage: { text }, scheduleAt }),
    })
    if (response.status !== 202) throw new Error(`POST /messages: ${response.status}`)
    await response.arrayBuffer()
  },
  submit_sm: (text: string) => submit(text),
  'submit_sm with receipt': (text: string) => submit(text, { registered_delivery: 1 }),
}

const rates = new Map<string, number[]>()
// The first round warms up the code.
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const [name, send] of Object.entries(measured)) {
    const rate = await rateOf(send, `${name} ${round}`)
    if (round > 0) rates.set(name, [...(rates.get(name) ?? []), rate])
  }
}
const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
const plain = median(rates.get('POST /messages') ?? [])
for (const [name, values] of rates) {
  const rate = median(values)
  process.stdout.write(`${name}: ${rate.toFixed(0)} a second, ${(rate / plain).toFixed(2)} of POST /messages\n`)
}
client.destroy()
await gateway.stop()

/** Returns the number of messages per second. */
async function rateOf(send: (text: string) => Promise<void>, name: string): Promise<number> {
  let next = 0
  const beganAt = performance.now()
  const worker = async () => {
    while (next < COUNT) {
      next += 1
      await send(`${name} ${next}`)
    }
  }
  await Promise.all(Array.from({ length: WINDOW }, worker))
  return (COUNT * 1_000) / (performance.now() - beganAt)
}
