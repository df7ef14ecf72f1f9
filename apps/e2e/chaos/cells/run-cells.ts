import { loadavg } from 'node:os'
import { inspect } from 'node:util'
import { Receiver } from '../../src/house/peers/receiver.ts'
import type { Findings } from '../audit.ts'
import { FaultRunner } from '../fault-runner.ts'
import { everything, failing, Hits, untilRecovered } from '../health.ts'
import { ChaosLoad } from '../load.ts'
import { report, seconds, type Times } from '../report.ts'
import { seededNumbers } from '../seeded-random.ts'
import { auditUntilComplete, untilEnded } from '../until-ended.ts'
import { AccountMover } from './account-mover.ts'
import { cellFaults, failoverFaults } from './cell-faults.ts'
import { type CellAccount, type CellFleet, isReady, startCellFleet } from './cell-fleet.ts'

export interface CellRun {
  readonly messages: number
  readonly everyMs: number
  readonly faultEveryMs: number
  readonly seed: number
  readonly cells: number
  readonly relays: number
  /** Whether primaries are killed and standbys promoted. */
  readonly failovers: boolean
}

/**
 * Runs cells behind routers while faults are injected and accounts are moved. Returns true if nothing is wrong. SIGINT
 * ends the sending; the audit follows.
 */
export async function runCells(run: CellRun): Promise<boolean> {
  const { seed, messages } = run
  const random = seededNumbers(seed)
  const beganAt = performance.now()
  const write = (line: string) => void process.stdout.write(`${line}\n`)
  const print = (line: string) => write(`  ${seconds(performance.now() - beganAt).padStart(9)}  ${line}`)
  const receiver = await Receiver.start()
  const fleet = await startCellFleet(run, print)
  const abort = (error: unknown) => {
    print(`run aborted, logs in ${fleet.folder}: ${inspect(error)}`)
    void fleet.stop(true).finally(() => process.exit(1))
  }
  process.on('unhandledRejection', abort)
  let isGood = false
  try {
    const health = healthOf(fleet)
    const parts = [...new Set(fleet.accounts.flatMap((account) => everything(account.parts)))]
    const missing = await untilRecovered(health, parts, 180_000, () => beganAt)
    if (missing.length > 0) throw new Error(`not ready: ${missing.join(', ')}`)
    for (const { parts: own } of fleet.accounts)
      for (const event of ['sms:received', 'sms:sent', 'sms:delivered', 'sms:failed'])
        await own.relays[0]?.api.ask('POST', '/webhooks', { url: receiver.url, event })
    print('everything is ready; faults begin')
    const open = openMessages(receiver)
    const loads: readonly ChaosLoad[] = fleet.accounts.map(
      ({ username, parts: own }, at) =>
        new ChaosLoad(own, seededNumbers(seed + 1 + at), {
          ...{ name: username, recipients: `+447400${at + 1}` },
          // Faults are injected only while messages are accepted, so that the modems must keep up.
          isFull: () => open(loads[at] as ChaosLoad, username) > MOST_OPEN,
        }),
    )
    const mover = new AccountMover(fleet, seededNumbers(seed + 100))
    const failovers: Times = new Map()
    const faultRunner = new FaultRunner({
      ...{ world: { fleet, mover, failovers }, failing: health, hits: new Hits(fleet.all), random, print },
      everyMs: run.faultEveryMs,
      faults: run.failovers ? [...cellFaults, ...failoverFaults] : cellFaults,
    })
    const stopProgress = printProgress(loads, receiver, print)
    const stopFaults = faultRunner.start()
    let isOver = false
    process.once('SIGINT', () => {
      print('no more messages are sent')
      isOver = true
    })
    const each = [messages / loads.length, run.everyMs * loads.length] as const
    await Promise.all(loads.map((load) => load.run(...each, () => isOver)))
    print('all messages are accepted; waiting for the last faults')
    await stopFaults()
    const audited = fleet.accounts.map((account, at) => auditAccount(account, loads[at] as ChaosLoad, receiver, print))
    const findings = merged(await Promise.all(audited))
    stopProgress()
    const sum = (count: (load: ChaosLoad) => number) => loads.reduce((total, load) => total + count(load), 0)
    const counts = {
      accepted: sum(({ sent }) => sent.length),
      received: sum(({ received }) => received.length),
      tries: sum(({ tries }) => tries),
      webhooks: receiver.requests.length,
    }
    const crashes = [...fleet.all.relays, ...fleet.all.agents].flatMap(({ post }) => post.crashes)
    const tables = { recovery: faultRunner.recoveries }
    write(`moves: ${mover.pauses.length}, repeated commands: ${mover.repeated}, pauses: ${listed(mover.pauses)}`)
    for (const [cell, times] of failovers)
      write(`failovers of ${cell}: ${times.length}, until commits are confirmed: ${listed(times)}`)
    const result = { seed, findings, counts, crashes, tables, skipped: 0 }
    isGood = report({ ...result, tookMs: performance.now() - beganAt }, write)
  } finally {
    if (!isGood) print(`logs and data are kept in ${fleet.folder}`)
    await fleet.stop(!isGood)
    await receiver.stop()
  }
  return isGood
}

async function auditAccount(
  { username, parts }: CellAccount,
  load: ChaosLoad,
  receiver: Receiver,
  print: (line: string) => void,
): Promise<Findings> {
  const printOwn = (line: string) => print(`${username}: ${line}`)
  await untilEnded(parts, load, printOwn)
  return await auditUntilComplete(parts, load, receiver, printOwn)
}

function merged(all: readonly Findings[]): Findings {
  const of = (kind: keyof Findings) => all.flatMap((found) => found[kind])
  return {
    ...{ lost: of('lost'), duplicated: of('duplicated'), inDoubt: of('inDoubt'), notEnded: of('notEnded') },
    wrong: of('wrong'),
  }
}

/** Returns a function that finds the parts that do not work. It asks at most every two seconds. */
function healthOf(fleet: CellFleet): () => Promise<ReadonlySet<string>> {
  let [askedAt, answer]: [number, Promise<ReadonlySet<string>>] = [Number.NEGATIVE_INFINITY, Promise.resolve(new Set())]
  const ask = async () => {
    const found = await Promise.all(fleet.accounts.map(({ parts }) => failing(parts)))
    const names = found.flatMap((each) => [...each])
    const relays = fleet.cells.flatMap((cell) => cell.relays)
    const ready = await Promise.all(relays.map(isReady))
    return new Set([...names, ...relays.filter((_, at) => !ready[at]).map(({ post }) => post.name)])
  }
  return () => {
    if (performance.now() > askedAt + 2_000) [askedAt, answer] = [performance.now(), ask()]
    return answer
  }
}

/** Returns a function that counts the accepted messages of a load without a webhook about their sending. */
function openMessages(receiver: Receiver): (load: ChaosLoad, username: string) => number {
  const ended = new Map<string, Set<string>>()
  let seen = 0
  return ({ sent }, username) => {
    for (const { event, payload } of receiver.requests.slice(seen)) {
      if (event !== 'sms:sent' && event !== 'sms:failed') continue
      const id = String(payload['messageId'])
      const [owner = ''] = id.split('-')
      ended.set(owner, (ended.get(owner) ?? new Set()).add(id))
    }
    seen = receiver.requests.length
    return sent.length - (ended.get(username)?.size ?? 0)
  }
}

/** Of each account. */
const MOST_OPEN = 500

/** Prints the progress every 15 s. */
function printProgress(loads: readonly ChaosLoad[], receiver: Receiver, print: (line: string) => void): () => void {
  const timer = setInterval(() => {
    const accepted = loads.map(({ sent }) => sent.length)
    const total = accepted.reduce((sum, count) => sum + count, 0)
    const tries = loads.reduce((sum, load) => sum + load.tries, 0)
    print(
      `${total} accepted (${accepted.join(' + ')}), ${receiver.requests.length} webhook requests, ${tries} repeated, load ${loadavg()[0]?.toFixed(0)}`,
    )
  }, 15_000)
  return () => clearInterval(timer)
}

function listed(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other)
  if (sorted.length === 0) return 'none'
  return `median ${seconds(sorted[Math.floor(sorted.length / 2)] ?? 0)}, longest ${seconds(sorted.at(-1) ?? 0)}`
}
