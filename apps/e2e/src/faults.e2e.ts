import { afterAll, beforeAll, expect, test } from 'vitest'
import { House } from './house/house.ts'
import { Traffic } from './house/traffic.ts'

let house: House
let runs = 1000

beforeAll(async () => {
  // The driver waits two minutes for an answer. The time that a message stays in doubt afterwards is shortened, but not
  // skipped.
  house = await House.start({ agent: { IN_DOUBT_SECONDS: '20', IN_DOUBT_HOLD_SECONDS: '2' } })
})

afterAll(async () => {
  await house?.stop()
})

interface Fault {
  readonly name: string
  readonly options?: object
  /** If set, the modem is unplugged for this time, and no fault is set. */
  readonly unplugMs?: number
}

const faults: readonly Fault[] = [
  { name: 'submit-answer-lost', options: { all: false, times: 2 } },
  { name: 'submit-port-drop', options: { times: 1, forMs: 5000 } },
  { name: 'submit-reboot', options: { times: 1 } },
  // After these codes the agent pauses for some seconds. After code 38 (network out of order) it would pause for five
  // minutes.
  { name: 'submit-error', options: { times: 2, codes: '41,42,500,512' } },
  { name: 'urc-flood', options: { perSecond: 200 } },
  { name: 'urc-before-pdu', options: {} },
  { name: 'noise', options: {} },
  { name: 'bytes-one-by-one', options: {} },
  { name: 'cmti-twice', options: {} },
  { name: 'urc-lost', options: { times: 1 } },
  { name: 'delete-refused', options: { times: 2 } },
  { name: 'report-before-answer', options: { times: 2 } },
  { name: 'unplugged for five seconds', unplugMs: 5000 },
]

for (const fault of faults) {
  test(`${fault.name}: no message is lost or sent twice, and sending continues`, async () => {
    runs += 1
    const traffic = new Traffic(house, runs)
    await begin(fault)
    for (const text of ['one', 'long '.repeat(50), 'three']) {
      await traffic.send(text)
      await traffic.receive(text.slice(0, 5))
    }
    const { lost, twice, problems } = await traffic.audit()
    await house.emulator.instruct('clear-fault', { modem: 'modem0' })
    expect({ lost, twice, problems }).toEqual({ lost: [], twice: [], problems: [] })
  })
}

async function begin({ name, options, unplugMs }: Fault): Promise<void> {
  if (unplugMs === undefined) await house.emulator.instruct('set-fault', { modem: 'modem0', fault: name, options })
  else await house.emulator.instruct('unplug', { modem: 'modem0', forMs: unplugMs })
}
