// Measures the whole path with real processes on an idle machine: the time from the POST to the modem, the throughput,
// and the time from the modem to the webhook.
import { parseArgs } from 'node:util'
import { eventually } from '../src/house/api-client.ts'
import { House } from '../src/house/house.ts'
import { residentMiB } from '../src/house/machine/memory.ts'
import { Receiver } from '../src/house/peers/receiver.ts'

const { values } = parseArgs({ options: { idle: { type: 'string' }, burst: { type: 'string' } } })
const idle = Number(values.idle ?? 200)
const burst = Number(values.burst ?? 3000)
const print = (line: string) => process.stdout.write(`${line}\n`)

const house = await House.start()
const receiver = await Receiver.start()
try {
  await outbound()
  await inbound()
  await sustained()
  print(
    `memory: relay ${residentMiB(house.relay.pid).toFixed(0)} MiB, agent ${residentMiB(house.agent?.pid ?? 0).toFixed(0)} MiB`,
  )
} finally {
  await house.stop()
  await receiver.stop()
}
process.exit(0)

async function outbound(): Promise<void> {
  const began = new Map<string, number>()
  for (let at = 0; at < idle; at += 1) {
    const destination = `+447400${300_000 + at}`
    began.set(destination, Date.now())
    await house.api.send({ phoneNumbers: [destination], textMessage: { text: `idle ${at}` } })
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  const lines = await eventually(
    () => house.emulator.ledger(),
    (all) => all.length >= idle,
    60_000,
  )
  const tookMs = lines.map(({ destination, time }) => Date.parse(time) - (began.get(destination) ?? 0))
  print(`POST → PDU at the modem, idle: ${quantiles(tookMs)} (aim: p50 15 ms, p99 60 ms)`)
}

async function sustained(): Promise<void> {
  const before = house.emulator.ledger().length
  const beganAt = Date.now()
  let next = 0
  const post = async () => {
    for (let at = next++; at < burst; at = next++) {
      await house.api.send({
        phoneNumbers: [`+447400${400_000 + at}`],
        textMessage: { text: `burst ${at}` },
        withDeliveryReport: false,
      })
    }
  }
  await Promise.all(Array.from({ length: 32 }, post))
  const acceptedMs = Date.now() - beganAt
  const lines = await eventually(
    () => house.emulator.ledger(),
    (all) => all.length >= before + burst,
    120_000,
  )
  const lastMs = Math.max(...lines.map(({ time }) => Date.parse(time)))
  const perSecond = (burst * 1000) / (lastMs - beganAt)
  print(`sustained, from POST to the modem: ${perSecond.toFixed(0)} submits/s (aim: 300), accepted in ${acceptedMs} ms`)
}

async function inbound(): Promise<void> {
  await house.api.ask('POST', '/webhooks', { url: receiver.url, event: 'sms:received' })
  const tookMs: number[] = []
  for (let at = 0; at < idle; at += 1) {
    const from = performance.now()
    await house.emulator.instruct('send-text', { from: '+447400900001', to: 'modem0', text: `in ${at}` })
    await receiver.until((event) => event.payload['message'] === `in ${at}`)
    tookMs.push(performance.now() - from)
    // Waits until this message was deleted from the SIM.
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  print(
    `message in the air → committed, and its webhook at the receiver, idle: ${quantiles(tookMs)} (aim of the commit: p50 15 ms)`,
  )
}

function quantiles(ms: readonly number[]): string {
  const sorted = [...ms].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]?.toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}
