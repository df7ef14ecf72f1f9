import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { House } from './house/house.ts'

let house: House
let runs = 0

beforeAll(async () => {
  house = await House.start({ modems: [{}, {}] })
})

afterAll(async () => {
  await house?.stop()
})

const cases = [
  {
    name: 'the answer is lost and the report arrives',
    fault: 'submit-answer-lost',
    options: { all: true, times: 1 },
    withDeliveryReport: true,
    clockMs: 30_000,
    state: 'Delivered',
  },
  {
    name: 'the answer is lost and a message arrives',
    fault: 'submit-answer-lost',
    options: { all: true, times: 1 },
    withDeliveryReport: false,
    clockMs: 30_000,
    state: undefined,
  },
  {
    name: 'the modem hangs for 20 s and the answer is lost',
    fault: 'submit-hang',
    options: { forMs: 20_000, times: 1 },
    withDeliveryReport: false,
    clockMs: 50_000,
    state: undefined,
  },
]

// The driver waits two minutes for a lost result, but the next messages must not wait that long. To measure this, a
// second modem sends the message `clock`, which takes less than two minutes. The next messages must be sent and
// received before `clock` has been sent.
for (const { name, fault, options, withDeliveryReport, clockMs, state } of cases) {
  test(`${name}: messages are sent and received again before the time limit of the answer`, async () => {
    runs += 1
    const { api, emulator } = house
    await emulator.instruct('set-fault', { modem: 'modem0', fault, options })
    await emulator.instruct('set-fault', {
      modem: 'modem1',
      fault: 'submit-slow',
      options: { delayMs: clockMs, times: 1 },
    })
    const [clock, lost, next] = await Promise.all([
      send('clock', 2, true),
      send('lost', 1, withDeliveryReport),
      untilOnAir('lost').then(() => send('next', 1, true)),
    ])
    await untilOnAir('clock')
    const text = `in ${runs}`
    await emulator.instruct('send-text', { from: '+447400900001', to: 'modem0', text })
    await api.until(next, ({ state }) => state === 'Sent' || state === 'Delivered')
    await eventually(
      async () => (await api.ask('GET', '/inbox?limit=100')).json as { text?: string }[],
      (inbox) => inbox.some((each) => each.text === text),
    )
    if (state !== undefined) await api.until(lost, (message) => message.state === state)
    const { json } = await api.ask('GET', `/messages/${clock}`)
    expect(json.state).toBe('Processed')
    expect(onAir('lost')).toHaveLength(1)
    expect(onAir('next')).toHaveLength(1)
    await api.until(clock, (message) => message.state === 'Sent' || message.state === 'Delivered')
  })
}

async function send(what: string, simNumber: number, withDeliveryReport: boolean): Promise<string> {
  const id = `${what}-${runs}`
  const answer = await house.api.ask('POST', '/messages', {
    id,
    // The messages use different numbers, because a message in doubt delays later messages to the same number.
    phoneNumbers: [`+4474002${runs}${simNumber}${what === 'next' ? 1 : 2}00`],
    textMessage: { text: id },
    simNumber,
    withDeliveryReport,
  })
  expect(answer.status).toBe(202)
  return id
}

function onAir(what: string) {
  return house.emulator.ledger().filter(({ text }) => text === `${what}-${runs}`)
}

function untilOnAir(what: string): Promise<unknown> {
  return eventually(
    async () => onAir(what),
    (lines) => lines.length > 0,
  )
}
