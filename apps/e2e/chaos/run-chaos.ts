// `npm run chaos -- [--messages <n>] [--seed <n>] [--every-ms <n>]`: two relays, two agents, three modems, PostgreSQL and a
// receiver, and every few seconds something befalls one of them while messages go out and come in. In the end what callers
// and receivers were told is compared with what the network took and gave.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { eventually } from '../src/house/api-client.ts'
import { type Fleet, startFleet } from '../src/house/fleet.ts'
import { Receiver } from '../src/house/receiver.ts'
import { whyNoSetClock } from '../src/house/set-clock.ts'
import { all, audit, type Findings } from './audit.ts'
import { ailing, everything, Hits, untilWell } from './health.ts'
import { Load } from './load.ts'
import { seededRandom } from './seeded-random.ts'
import { type Trouble, troubles } from './troubles.ts'

const { values } = parseArgs({
  options: { messages: { type: 'string' }, seed: { type: 'string' }, 'every-ms': { type: 'string' } },
})
const messages = Number(values.messages ?? 300)
const everyMs = Number(values['every-ms'] ?? 150)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const chance = seededRandom(seed)
const print = (line: string) => process.stdout.write(`${line}\n`)
const recoveries = new Map<string, number[]>()
const beganAt = performance.now()

print(`seed ${seed}: ${messages} messages, one each ${everyMs} ms`)
if (whyNoSetClock !== undefined) print(`no clock is set: ${whyNoSetClock}`)
const receiver = await Receiver.start()
const fleet = await startFleet((line) => print(`  ${now()}  ${line}`))
// What cannot befall it, as when PostgreSQL does not start again, ends the run; and nobody is left behind.
process.on('unhandledRejection', (error) => {
  print(`the run is broken: ${error instanceof Error ? error.stack : error}`)
  void fleet.stop().finally(() => process.exit(1))
})
const hits = new Hits(fleet)
let isWell = false
try {
  const missing = await untilWell(fleet, everything(fleet), 120_000, () => beganAt)
  if (missing.length > 0) throw new Error(`it did not get ready: ${missing.join(', ')}`)
  for (const event of ['sms:received', 'sms:sent', 'sms:delivered', 'sms:failed'])
    await fleet.relays[0]?.api.ask('POST', '/webhooks', { url: receiver.url, event })
  print(`everything is there after ${seconds(performance.now() - beganAt)}; chaos begins`)
  const load = new Load(fleet, seededRandom(seed + 1))
  const stopTurmoil = turmoil(fleet)
  const stopTelling = tellHowItGoes(fleet, load)
  await load.run(messages, everyMs)
  await stopTurmoil()
  await settle(fleet, load)
  stopTelling()
  isWell = report(fleet, load, await audit(fleet, load, receiver))
} finally {
  await fleet.stop()
  await receiver.stop()
}
process.exit(isWell ? 0 : 1)

/** Something every few seconds, until stopped; then everything is well again before it goes on. */
function turmoil(fleet: Fleet): () => Promise<void> {
  let isOver = false
  const underWay = new Set<Promise<void>>()
  const going = (async () => {
    while (!isOver) {
      const trouble = chosen()
      const work = befall(fleet, trouble).finally(() => underWay.delete(work))
      underWay.add(work)
      await sleep(1_500 + chance() * 3_000)
    }
  })()
  return async () => {
    isOver = true
    await going
    await Promise.all(underWay)
  }
}

/** A line now and then, for whoever watches: a run takes as long as its messages. */
function tellHowItGoes(fleet: Fleet, load: Load): () => void {
  const timer = setInterval(async () => {
    const names = [...(await ailing(fleet))].join(', ') || 'nothing'
    const { told } = receiver
    print(
      `  ${now()}  ${load.sent.length} accepted, ${told.length} webhook requests, ${load.tries} made again; ails: ${names}`,
    )
  }, 15_000)
  return () => clearInterval(timer)
}

async function befall(fleet: Fleet, { name, befall }: Trouble): Promise<void> {
  const names = await befall(fleet, chance)
  const overAt = performance.now()
  hits.note(names)
  // What befalls the same part meanwhile counts to this one too, and gives it as long again to get well.
  const left = await untilWell(fleet, names, 180_000, () => hits.lastOn(names))
  const tookMs = performance.now() - overAt
  recoveries.set(name, [...(recoveries.get(name) ?? []), left.length === 0 ? tookMs : Number.POSITIVE_INFINITY])
  const how = left.length === 0 ? `well again ${seconds(tookMs)} after` : `STILL AILS: ${left.join(', ')}`
  print(`  ${now()}  ${name}, ${how}`)
}

function chosen(): Trouble {
  let left = chance() * troubles.reduce((sum, { weight }) => sum + weight, 0)
  for (const trouble of troubles) {
    left -= trouble.weight
    if (left < 0) return trouble
  }
  return troubles[0] as Trouble
}

/** Everything that can end has ended, and is told. */
async function settle(fleet: Fleet, load: Load): Promise<void> {
  print(`${load.sent.length} accepted after ${seconds(performance.now() - beganAt)}; waiting until all have ended`)
  const open = async () =>
    (
      await Promise.all(
        ['Pending', 'Processed', 'Cancelling'].map((state) => all(fleet, `/messages?limit=100&state=${state}`)),
      )
    ).flat()
  const quiet = async () => ({ open: (await open()).length, told: receiver.told.length })
  const limitMs = 180_000 + messages * 20
  await eventually(quiet, ({ open: left }) => left === 0, limitMs).catch(() => print('some have not ended'))
  // Sent may become Delivered, and each is still to be told.
  for (let before = -1; before !== receiver.told.length; await sleep(3_000)) before = receiver.told.length
}

function report(fleet: Fleet, load: Load, findings: Findings): boolean {
  const { lost, duplicated, inDoubt, notEnded, wrong } = findings
  const collapses = [...fleet.relays, ...fleet.agents].flatMap(({ post }) => post.collapses)
  for (const [kind, each] of Object.entries({ lost, duplicated, 'not ended': notEnded, wrong, collapsed: collapses }))
    for (const line of each.slice(0, 20)) print(`  ${kind}: ${line}`)
  print('')
  print(
    `${'what befell it'.padEnd(28)}${'times'.padStart(6)}${'well again, median'.padStart(20)}${'longest'.padStart(10)}`,
  )
  for (const [name, times] of [...recoveries].sort(([one], [other]) => one.localeCompare(other))) {
    const sorted = times.toSorted((one, other) => one - other)
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0
    print(
      `${name.padEnd(28)}${String(times.length).padStart(6)}${seconds(median).padStart(20)}${seconds(sorted.at(-1) ?? 0).padStart(10)}`,
    )
  }
  const neverWell = [...recoveries.values()].flat().filter((ms) => !Number.isFinite(ms)).length
  print('')
  print(`seed ${seed}, ${seconds(performance.now() - beganAt)}`)
  print(`${String(load.sent.length).padStart(7)}  accepted, ${load.tries} requests made again`)
  print(`${String(load.received.length).padStart(7)}  received, ${receiver.told.length} webhook requests`)
  for (const [count, words] of [
    [lost.length, 'lost'],
    [duplicated.length, 'duplicated'],
    [inDoubt.length, 'in doubt, and told so'],
    [notEnded.length, 'not ended'],
    [wrong.length, 'failed or told wrongly'],
    [collapses.length, 'processes that ended by themselves'],
    [neverWell, 'troubles after which it did not get well within three minutes'],
  ] as const)
    print(`${String(count).padStart(7)}  ${words}`)
  const isGood = [lost, duplicated, notEnded, wrong, collapses].every(({ length }) => length === 0) && neverWell === 0
  print(`${isGood ? 1 : 0} passed, ${isGood ? 0 : 1} failed, 0 skipped`)
  return isGood
}

function now(): string {
  return seconds(performance.now() - beganAt).padStart(8)
}

function seconds(ms: number): string {
  return Number.isFinite(ms) ? `${(ms / 1000).toFixed(1)} s` : 'never'
}
