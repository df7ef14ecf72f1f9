// `npm run chaos -- [--messages <n>] [--seed <n>] [--every-ms <n>] [--fault-every-ms <n>]` runs two relays, two agents,
// three modems, PostgreSQL and a webhook receiver, and injects a fault every few seconds while messages are sent and
// received. At the end it compares API and webhooks with the ledger of the network. With `--one-at-a-time [--times <n>]
// [--fault <name>]` it injects the faults one by one, or only the named fault, and measures how long messages are
// delayed after each fault. With `--cells <n> [--relays <n>] [--failovers]` it runs cells behind two routers instead.
import { parseArgs } from 'node:util'
import { type Fleet, startFleet } from '../src/house/fleet.ts'
import { whyNoSetClock } from '../src/house/machine/set-clock.ts'
import { Receiver } from '../src/house/peers/receiver.ts'
import { runCells } from './cells/run-cells.ts'
import { FaultRunner } from './fault-runner.ts'
import { faultsOf, singleFaultsOf } from './faults.ts'
import { everything, failing, Hits, untilRecovered } from './health.ts'
import { ChaosLoad } from './load.ts'
import { measureFaults, targetsOf } from './measure-faults.ts'
import { addTime, report, seconds, type Times } from './report.ts'
import { seededNumbers } from './seeded-random.ts'
import { auditUntilComplete, untilEnded } from './until-ended.ts'

const { values } = parseArgs({
  options: {
    messages: { type: 'string' },
    seed: { type: 'string' },
    'every-ms': { type: 'string' },
    'fault-every-ms': { type: 'string' },
    'one-at-a-time': { type: 'boolean', default: false },
    times: { type: 'string' },
    fault: { type: 'string' },
    cells: { type: 'string' },
    relays: { type: 'string' },
    failovers: { type: 'boolean', default: false },
  },
})
const messages = Number(values.messages ?? 300)
// With `--one-at-a-time`, each modem sends and receives about a message a second. Even a busy machine can handle that.
const everyMs = Number(values['every-ms'] ?? (values['one-at-a-time'] ? 300 : 150))
const faultEveryMs = Number(values['fault-every-ms'] ?? 3_000)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const random = seededNumbers(seed)
const print = (line: string) => process.stdout.write(`${line}\n`)
const sending: Times = new Map()
const receiving: Times = new Map()
const beganAt = performance.now()

print(`seed ${seed}: ${values['one-at-a-time'] ? 'each fault alone' : `${messages} messages`}, one each ${everyMs} ms`)
if (values.cells !== undefined) {
  const [cells, relays] = [Number(values.cells), Number(values.relays ?? 2 * Number(values.cells))]
  if (relays % cells !== 0) throw new Error(`${relays} relays cannot be divided among ${cells} cells`)
  const isDone = await runCells({ messages, everyMs, faultEveryMs, seed, cells, relays, failovers: values.failovers })
  process.exit(isDone ? 0 : 1)
}
if (whyNoSetClock !== undefined) print(`clocks are not changed: ${whyNoSetClock}`)
const receiver = await Receiver.start()
const fleet = await startFleet((line) => print(`  ${now()}  ${line}`))
// Ends the run and stops all processes if a fault cannot be injected or undone.
process.on('unhandledRejection', (error) => {
  print(`run aborted: ${error instanceof Error ? error.stack : error}`)
  void fleet.stop().finally(() => process.exit(1))
})
const { faults, skipped } = faultsOf(fleet)
const faultRunner = new FaultRunner({
  ...{ world: fleet, faults, hits: new Hits(fleet), random, everyMs: faultEveryMs },
  failing: () => failing(fleet),
  print: (line) => print(`  ${now()}  ${line}`),
})
for (const name of skipped) print(`fault skipped: ${name}`)
let isPassed = false
try {
  const missing = await untilRecovered(
    () => failing(fleet),
    everything(fleet),
    120_000,
    () => beganAt,
  )
  if (missing.length > 0) throw new Error(`not ready: ${missing.join(', ')}`)
  for (const event of ['sms:received', 'sms:sent', 'sms:delivered', 'sms:failed'])
    await fleet.relays[0]?.api.ask('POST', '/webhooks', { url: receiver.url, event })
  print(`everything is ready after ${seconds(performance.now() - beganAt)}; faults begin`)
  const load = values['one-at-a-time'] ? await measureAll(fleet) : await underFaults(fleet)
  const findings = await auditUntilComplete(fleet, load, receiver, print)
  const outcome = {
    ...{ seed, findings, tookMs: performance.now() - beganAt, skipped: skipped.length },
    counts: {
      accepted: load.sent.length,
      received: load.received.length,
      tries: load.tries,
      webhooks: receiver.requests.length,
    },
    crashes: [...fleet.relays, ...fleet.agents].flatMap(({ post }) => post.crashes),
    tables: values['one-at-a-time'] ? { sent: sending, received: receiving } : { recovery: faultRunner.recoveries },
  }
  isPassed = report(outcome, print)
} finally {
  await fleet.stop()
  await receiver.stop()
}
process.exit(isPassed ? 0 : 1)

async function underFaults(fleet: Fleet): Promise<ChaosLoad> {
  const load = new ChaosLoad(fleet, seededNumbers(seed + 1))
  const stopFaults = faultRunner.start()
  const stopProgress = printProgress(fleet, load)
  await load.run(messages, everyMs)
  await stopFaults()
  await untilEnded(fleet, load, print)
  stopProgress()
  return load
}

async function measureAll(fleet: Fleet): Promise<ChaosLoad> {
  const load = new ChaosLoad(fleet, seededNumbers(seed + 1), { targets: await targetsOf(fleet), receiveEvery: 1 })
  let isOver = false
  const running = load.run(Number.POSITIVE_INFINITY, everyMs, () => isOver)
  const named = singleFaultsOf(fleet).filter(({ name }) => values.fault === undefined || name.startsWith(values.fault))
  if (named.length === 0)
    throw new Error(
      `no fault ${values.fault}: ${singleFaultsOf(fleet)
        .map(({ name }) => name)
        .join(', ')}`,
    )
  const faultsInTurn = Array.from({ length: Number(values.times ?? 1) }, () => named).flat()
  await measureFaults({ fleet, load, receiver, random }, faultsInTurn, ({ fault, sentMs, receivedMs }) => {
    addTime(sending, fault, sentMs)
    addTime(receiving, fault, receivedMs)
    print(`  ${now()}  ${fault}: sent after ${seconds(sentMs)}, received after ${seconds(receivedMs)}`)
  })
  isOver = true
  await running
  await untilEnded(fleet, load, print)
  return load
}

/** Prints the progress every 15 s. */
function printProgress(fleet: Fleet, load: ChaosLoad): () => void {
  const timer = setInterval(async () => {
    const names = [...(await failing(fleet))].join(', ') || 'nothing'
    const { requests } = receiver
    print(
      `  ${now()}  ${load.sent.length} accepted, ${requests.length} webhook requests, ${load.tries} repeated; failing: ${names}`,
    )
  }, 15_000)
  return () => clearInterval(timer)
}

function now(): string {
  return seconds(performance.now() - beganAt).padStart(8)
}
