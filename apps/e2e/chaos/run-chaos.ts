// `npm run chaos -- [--messages <n>] [--seed <n>] [--every-ms <n>]` runs two relays, two agents, three modems,
// PostgreSQL and a webhook receiver, and injects a fault every few seconds while messages are sent and received. At the
// end it compares API and webhooks with the ledger of the network. With `--one-at-a-time [--times <n>] [--fault
// <name>]` it injects the faults one by one, or only the named fault, and measures how long messages are delayed after
// each fault.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Fleet, startFleet } from '../src/house/fleet.ts'
import { whyNoSetClock } from '../src/house/machine/set-clock.ts'
import { Receiver } from '../src/house/peers/receiver.ts'
import type { Findings } from './audit.ts'
import { type ChaosFault, faultsOf, singleFaultsOf } from './faults.ts'
import { everything, failing, Hits, untilRecovered } from './health.ts'
import { ChaosLoad } from './load.ts'
import { measureFaults, targetsOf } from './measure-faults.ts'
import { seededNumbers } from './seeded-random.ts'
import { auditUntilComplete, untilEnded } from './until-ended.ts'

const { values } = parseArgs({
  options: {
    messages: { type: 'string' },
    seed: { type: 'string' },
    'every-ms': { type: 'string' },
    'one-at-a-time': { type: 'boolean', default: false },
    times: { type: 'string' },
    fault: { type: 'string' },
  },
})
const messages = Number(values.messages ?? 300)
// With `--one-at-a-time`, each modem sends and receives about a message a second. Even a busy machine can handle that.
const everyMs = Number(values['every-ms'] ?? (values['one-at-a-time'] ? 300 : 150))
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const random = seededNumbers(seed)
const print = (line: string) => process.stdout.write(`${line}\n`)
const recoveries: Times = new Map()
const sending: Times = new Map()
const receiving: Times = new Map()
const beganAt = performance.now()

print(`seed ${seed}: ${values['one-at-a-time'] ? 'each fault alone' : `${messages} messages`}, one each ${everyMs} ms`)
if (whyNoSetClock !== undefined) print(`clocks are not changed: ${whyNoSetClock}`)
const receiver = await Receiver.start()
const fleet = await startFleet((line) => print(`  ${now()}  ${line}`))
// Ends the run and stops all processes if a fault cannot be injected or undone.
process.on('unhandledRejection', (error) => {
  print(`run aborted: ${error instanceof Error ? error.stack : error}`)
  void fleet.stop().finally(() => process.exit(1))
})
const hits = new Hits(fleet)
const { faults, skipped } = faultsOf(fleet)
for (const name of skipped) print(`fault skipped: ${name}`)
let isPassed = false
try {
  const missing = await untilRecovered(fleet, everything(fleet), 120_000, () => beganAt)
  if (missing.length > 0) throw new Error(`not ready: ${missing.join(', ')}`)
  for (const event of ['sms:received', 'sms:sent', 'sms:delivered', 'sms:failed'])
    await fleet.relays[0]?.api.ask('POST', '/webhooks', { url: receiver.url, event })
  print(`everything is ready after ${seconds(performance.now() - beganAt)}; faults begin`)
  const load = values['one-at-a-time'] ? await measureAll(fleet) : await underFaults(fleet)
  isPassed = report(fleet, load, await auditUntilComplete(fleet, load, receiver, print))
} finally {
  await fleet.stop()
  await receiver.stop()
}
process.exit(isPassed ? 0 : 1)

async function underFaults(fleet: Fleet): Promise<ChaosLoad> {
  const load = new ChaosLoad(fleet, seededNumbers(seed + 1))
  const stopFaults = faultsUntilStopped(fleet)
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

/** Injects a fault every few seconds until stopped, then waits until everything works again. */
function faultsUntilStopped(fleet: Fleet): () => Promise<void> {
  let isOver = false
  const running = new Set<Promise<void>>()
  const going = (async () => {
    while (!isOver) {
      const fault = chooseFault()
      const work = injectFault(fleet, fault).finally(() => running.delete(work))
      running.add(work)
      await sleep(1_500 + random() * 3_000)
    }
  })()
  return async () => {
    isOver = true
    await going
    await Promise.all(running)
  }
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

async function injectFault(fleet: Fleet, { name, inject }: ChaosFault): Promise<void> {
  const names = await inject(fleet, random)
  hits.note(names)
  // The time is measured from the end of the last fault, because other faults may follow before the parts have
  // recovered.
  const left = await untilRecovered(fleet, names, 180_000, () => hits.lastOn(names))
  const tookMs = performance.now() - hits.lastOn(names)
  addTime(recoveries, name, left.length === 0 ? tookMs : Number.POSITIVE_INFINITY)
  const how = left.length === 0 ? `recovered ${seconds(tookMs)} after` : `STILL FAILING: ${left.join(', ')}`
  print(`  ${now()}  ${name}, ${how}`)
}

function chooseFault(): ChaosFault {
  let left = random() * faults.reduce((sum, { weight }) => sum + weight, 0)
  for (const fault of faults) {
    left -= fault.weight
    if (left < 0) return fault
  }
  return faults[0] as ChaosFault
}

function report(fleet: Fleet, load: ChaosLoad, findings: Findings): boolean {
  const { lost, duplicated, inDoubt, notEnded, wrong } = findings
  const crashes = [...fleet.relays, ...fleet.agents].flatMap(({ post }) => post.crashes)
  for (const [kind, each] of Object.entries({ lost, duplicated, 'not ended': notEnded, wrong, crashed: crashes }))
    for (const line of each.slice(0, 20)) print(`  ${kind}: ${line}`)
  const tables = values['one-at-a-time'] ? { sent: sending, received: receiving } : { recovery: recoveries }
  printTimes(tables)
  const allTimes = Object.values(tables).flatMap((times) => [...times.values()].flat())
  const neverRecovered = allTimes.filter((ms) => !Number.isFinite(ms)).length
  print('')
  print(`seed ${seed}, ${seconds(performance.now() - beganAt)}`)
  print(`${String(load.sent.length).padStart(7)}  accepted, ${load.tries} requests repeated`)
  print(`${String(load.received.length).padStart(7)}  received, ${receiver.requests.length} webhook requests`)
  for (const [count, words] of [
    [lost.length, 'lost'],
    [duplicated.length, 'duplicated'],
    [inDoubt.length, 'in doubt (submit_unknown)'],
    [notEnded.length, 'not ended'],
    [wrong.length, 'failed or reported wrongly'],
    [crashes.length, 'processes that ended by themselves'],
    [neverRecovered, 'faults without recovery within three minutes'],
  ] as const)
    print(`${String(count).padStart(7)}  ${words}`)
  const isGood =
    [lost, duplicated, notEnded, wrong, crashes].every(({ length }) => length === 0) && neverRecovered === 0
  print(`${isGood ? 1 : 0} passed, ${isGood ? 0 : 1} failed, ${skipped.length} skipped`)
  return isGood
}

type Times = Map<string, readonly number[]>

function addTime(times: Times, name: string, ms: number): void {
  times.set(name, [...(times.get(name) ?? []), ms])
}

function printTimes(tables: Readonly<Record<string, Times>>): void {
  const cell = (text: string) => text.padStart(18)
  const headers = Object.keys(tables).flatMap((what) => [`${what}, median`, 'longest'])
  print('')
  print(`${'fault'.padEnd(36)}${'times'.padStart(6)}${headers.map(cell).join('')}`)
  const columns = Object.values(tables)
  for (const name of columns[0]?.keys() ?? []) {
    const cells = columns.flatMap((times) => {
      const sorted = (times.get(name) ?? []).toSorted((one, other) => one - other)
      return [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0]
    })
    const times = String(columns[0]?.get(name)?.length).padStart(6)
    print(`${name.padEnd(36)}${times}${cells.map(seconds).map(cell).join('')}`)
  }
}

function now(): string {
  return seconds(performance.now() - beganAt).padStart(8)
}

function seconds(ms: number): string {
  return Number.isFinite(ms) ? `${(ms / 1000).toFixed(1)} s` : 'never'
}
