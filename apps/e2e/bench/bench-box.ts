// Measures a gateway at full speed: the messages per second from the POST to the modem, and the CPU time per message.
// Then measures it without load: the time from a POST to the modem, the time from a received message to its webhook,
// and the CPU time of an idle gateway.
//
// node apps/e2e/bench/bench-box.ts [--messages 3000] [--connections 32] [--idle 200] [--modems 1] [--latency 0]
//   --latency: how many milliseconds the network takes for a message
//   --connections, --modems and --latency take lists, such as 1,32: each combination is measured with a new gateway
//   --warm-up: how many messages are sent first, 200 by default. After more messages, the statistics of the database
//     are updated
//   --rate: measures only messages per second and CPU time, not the idle gateway
//   --floors: also prints what the machine does without the gateway
//   --profile <folder>: writes CPU profiles of the threads of the gateway
//   --count: does not measure, but counts the work for each message: SQL, fsyncs, posts, timers
//   --sites: with --count, also names the code that does the work
//   --trace: does not measure, but shows the steps of a message of an idle gateway, with their times
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { eventually } from '../src/house/api-client.ts'
import { Emulator } from '../src/house/emulator.ts'
import { credentialsIn, Gateway, gatewayOf, newFolder } from '../src/house/gateway.ts'
import { openDatabase } from '../src/house/open-database.ts'
import { Receiver } from '../src/house/peers/receiver.ts'
import { measureFloors } from './bare-floors.ts'
import { numberedModems } from './numbered-modems.ts'
import { postMessages } from './posting-client.ts'
import { countTable, readSteps, stepTable, type TracedPeriod, traceMs } from './trace-steps.ts'

const { values } = parseArgs({
  options: {
    ...{ messages: { type: 'string' }, connections: { type: 'string' }, idle: { type: 'string' } },
    ...{ count: { type: 'boolean' }, modems: { type: 'string' }, latency: { type: 'string' } },
    ...{ profile: { type: 'string' }, sites: { type: 'boolean' }, floors: { type: 'boolean' } },
    ...{ rate: { type: 'boolean' }, trace: { type: 'boolean' }, 'warm-up': { type: 'string' } },
  },
})
const numbersIn = (list: string | undefined, otherwise: number) => list?.split(',').map(Number) ?? [otherwise]
const messages = Number(values.messages ?? 3000)
const idle = Number(values.idle ?? 200)
const warmUp = Number(values['warm-up'] ?? 200)
const IDLE_SECONDS = 20
const print = (line: string) => process.stdout.write(`${line}\n`)
const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

let folder = ''
let emulator: Emulator
let gateway: Gateway
for (const latency of numbersIn(values.latency, 0)) {
  for (const modems of numbersIn(values.modems, 1)) {
    for (const connections of numbersIn(values.connections, 32)) await measure({ latency, modems, connections })
  }
}
process.exit(0)

interface Box {
  readonly latency: number
  readonly modems: number
  readonly connections: number
}

async function measure(box: Box): Promise<void> {
  const counts = values.count === true ? mkdtempSync(join(tmpdir(), 'smsgw-count-')) : undefined
  // The memory limit that `smsgw` sets when it starts the gateway.
  const options = ['--max-semi-space-size=8']
  if (counts !== undefined) options.push('--import', join(import.meta.dirname, 'count-work.ts'))
  if (values.profile !== undefined) options.push('--cpu-prof', `--cpu-prof-dir=${values.profile}`)
  const trace = values.trace === true ? mkdtempSync(join(tmpdir(), 'smsgw-trace-')) : undefined
  if (trace !== undefined) options.push('--import', join(import.meta.dirname, 'trace-work.ts'))
  // The gateway runs from its sources while it counts or traces, because a bundle contains its own copy of `pg`, whose
  // statements could not be counted.
  const isWatched = counts !== undefined || trace !== undefined
  const watchedProgram = isWatched ? { command: gatewayOf('apps/gateway/src/main.ts') } : {}
  folder = newFolder()
  emulator = await Emulator.start(folder, numberedModems(box.modems), ['--latency', String(box.latency)])
  const settings = {
    MODEMS: emulator.ports.map(([, pty]) => pty).join(),
    NODE_OPTIONS: options.join(' '),
    ...(counts !== undefined && { COUNT_WORK_FOLDER: counts, ...(values.sites === true && { COUNT_WORK_SITES: '1' }) }),
    ...(trace !== undefined && { TRACE_WORK_FOLDER: trace }),
  }
  gateway = await Gateway.start(settings, { folder, ...watchedProgram })
  try {
    await gateway.untilReady(box.modems)
    // By default, only the SIM with the lowest number sends.
    await gateway.api.ask('PATCH', '/settings', { messages: { sim_selection_mode: 'RoundRobin' } })
    await warm()
    if (trace !== undefined) await showSteps(trace)
    else if (counts === undefined) {
      if (values.rate !== true) {
        await outboundLatency()
        await inboundLatency()
        await idleTime()
      }
      await burst(box)
      if (values.floors === true) await printFloors(box)
    } else await countWork(counts, box.connections)
  } finally {
    await gateway.stop()
    await emulator.process.stop()
    for (const notes of [counts, trace]) if (notes !== undefined) rmSync(notes, { recursive: true, force: true })
  }
}

/**
 * Sends messages, and then updates the statistics of the database, as PostgreSQL does within a minute. Until then,
 * PostgreSQL uses the plans that it made for empty tables.
 */
async function warm(): Promise<void> {
  await post(warmUp, warmUp > 200 ? 32 : 8, 600_000)
  await accepted(warmUp)
  if (warmUp <= 200) return
  await sleep(2_000)
  const database = await openDatabase(folder)
  await database.query('ANALYZE')
  await database.end()
}

async function printFloors({ connections }: Box): Promise<void> {
  const { port, insert, route } = await measureFloors(folder, connections)
  print(
    `  without the gateway, a second: bare port ${port.toFixed(0)}, bare insert ${insert.toFixed(0)}, ` +
      `bare route ${route.toFixed(0)}`,
  )
}

/** Prints how often each kind of work was done per message, while many messages are sent at the same time. */
async function countWork(countsFolder: string, connections: number): Promise<void> {
  const database = await openDatabase(folder)
  try {
    const fsyncs = async () =>
      Number((await database.query(`SELECT sum(fsyncs) AS count FROM pg_stat_io WHERE object = 'wal'`)).rows[0]?.count)
    const before = { ...sumsOf(countsFolder), 'fsyncs of the database': await fsyncs() }
    await post(messages, connections, 400_000)
    await accepted(warmUp + messages)
    await sleep(3_000)
    const after = { ...sumsOf(countsFolder), 'fsyncs of the database': await fsyncs() }
    printWork(new Map(Object.entries(after)), new Map(Object.entries(before)))
  } finally {
    await database.end()
  }
}

function printWork(after: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): void {
  const rows = [...after]
    .map(([name, count]) => ({ name, each: (count - (before.get(name) ?? 0)) / messages }))
    .filter(({ each }) => each >= (values.sites === true ? 0.05 : 0.005))
    .sort((one, other) => other.each - one.each)
  const isStatement = ({ name }: { readonly name: string }) => name.startsWith('SQL ')
  const statements = rows.filter(isStatement).reduce((sum, { each }) => sum + each, 0)
  for (const { name, each } of [
    { name: 'SQL statements, each a round trip', each: statements },
    ...rows.filter((row) => !isStatement(row)),
    ...rows.filter(isStatement),
  ])
    print(`${name}: ${each.toFixed(2)} for each message`)
}

/** Returns the sums over all processes and threads that count. */
function sumsOf(countsFolder: string): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const file of readdirSync(countsFolder)) {
    const counted: Record<string, number> = JSON.parse(readFileSync(join(countsFolder, file), 'utf8'))
    for (const [name, count] of Object.entries(counted)) sums[name] = (sums[name] ?? 0) + count
  }
  return sums
}

/** Prints the steps from a POST until the PDU is written to the modem, and from `+CMTI` until the webhook arrives,
 * and counts the steps of an idle gateway. */
async function showSteps(notes: string): Promise<void> {
  const posted: number[] = []
  for (let at = 0; at < idle; at += 1) {
    posted.push(traceMs())
    await post(1, 1, 500_000 + at)
    await sleep(50)
  }
  const receiver = await Receiver.start()
  const arrived: number[] = []
  await gateway.api.ask('POST', '/webhooks', { url: receiver.url, event: 'sms:received' })
  for (let at = 0; at < idle; at += 1) {
    await emulator.instruct('send-text', { from: '+447400900001', to: 'modem0', text: `in ${at}` })
    await receiver.until((event) => event.payload['message'] === `in ${at}`)
    arrived.push(traceMs())
    await sleep(100)
  }
  await receiver.stop()
  await sleep(3_000)
  const idleFromMs = traceMs()
  await sleep(IDLE_SECONDS * 1_000)
  const idleToMs = traceMs()
  await sleep(1_000)
  const steps = readSteps(notes)
  print(`idle, in ${IDLE_SECONDS} s:\n${countTable(steps, { fromMs: idleFromMs, toMs: idleToMs })}`)
  const sent = posted.map((fromMs) => periodUntil(fromMs, 'port ◂ PDU'))
  print(`POST until the PDU is written to the port:\n${stepTable(steps, sent)}`)
  const received = arrived.map((toMs) => ({ fromMs: lastBefore(toMs, '+CMTI'), toMs }))
  print(`+CMTI until the webhook arrives:\n${stepTable(steps, received)}`)

  function periodUntil(fromMs: number, name: string): TracedPeriod {
    return { fromMs, toMs: steps.find((step) => step.atMs > fromMs && step.name === name)?.atMs ?? fromMs }
  }
  function lastBefore(toMs: number, text: string): number {
    return steps.findLast(({ atMs, name }) => atMs < toMs && name.includes(text))?.atMs ?? toMs
  }
}

async function outboundLatency(): Promise<void> {
  const before = emulator.ledger().length
  const began = new Map<string, number>()
  for (let at = 0; at < idle; at += 1) {
    const destination = numberOf(300_000 + at)
    began.set(destination, Date.now())
    await gateway.api.send({ phoneNumbers: [destination], textMessage: { text: `idle ${at}` } })
    await sleep(50)
  }
  const lines = (await accepted(before + idle)).slice(before)
  const tookMs = lines
    .map(({ time, destination }) => Date.parse(time) - (began.get(destination) ?? 0))
    .sort((a, b) => a - b)
  print(`idle: POST to the modem p50 ${tookMs[idle >> 1]} ms, p95 ${tookMs[Math.floor(idle * 0.95)]} ms`)
}

/** The time from the octets with which the modem announces a message until the request of its webhook arrives. */
async function inboundLatency(): Promise<void> {
  const receiver = await Receiver.start()
  try {
    const { json } = await gateway.api.ask('POST', '/webhooks', { url: receiver.url, event: 'sms:received' })
    const tookMs: number[] = []
    for (let at = 0; at < idle / 2; at += 1) {
      await emulator.instruct('send-text', { from: '+447400900001', to: 'modem0', text: `in ${at}` })
      await receiver.until((event) => event.payload['message'] === `in ${at}`)
      tookMs.push((receiver.arrivals('sms:received')[0]?.atMs ?? 0) - (await emulator.announcedMs('modem0')))
      // Waits until this message was deleted from the SIM.
      await sleep(100)
    }
    await gateway.api.ask('DELETE', `/webhooks/${(json as { readonly id: string }).id}`)
    const sorted = tookMs.sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(0)
    print(`idle: received message to its webhook p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`)
  } finally {
    await receiver.stop()
  }
}

/** Measures the CPU time of the gateway and its database while they have no work. */
async function idleTime(): Promise<void> {
  const seconds = IDLE_SECONDS
  await sleep(3_000)
  const before = cpuSeconds()
  await sleep(seconds * 1000)
  const after = cpuSeconds()
  const share = (used: number) => `${((used * 100) / seconds).toFixed(2)} %`
  print(
    `idle: node ${share(after.node - before.node)}, PostgreSQL ${share(after.database - before.database)} of a core`,
  )
}

async function burst({ connections, modems, latency }: Box): Promise<void> {
  const before = emulator.ledger().length
  const cpu = cpuSeconds()
  const own = process.cpuUsage()
  const beganAt = Date.now()
  await post(messages, connections, 400_000)
  const postedMs = Date.now() - beganAt
  const lines = await accepted(before + messages)
  const lastMs = Math.max(...lines.map(({ time }) => Date.parse(time)))
  // Waits for the reports and events of the last messages.
  await sleep(1_500)
  const after = cpuSeconds()
  const { user, system } = process.cpuUsage(own)
  const each = (seconds: number) => ((seconds * 1000) / messages).toFixed(2)
  const rate = (messages * 1000) / (lastMs - beganAt)
  const node = after.node - cpu.node
  const database = after.database - cpu.database
  print(
    `${messages} messages, ${connections} connections, ${modems} modems, ${latency} ms: ` +
      `${rate.toFixed(rate < 100 ? 1 : 0)} a second (accepted in ${postedMs} ms); ` +
      `CPU for each: node ${each(node)} + PostgreSQL ${each(database)} = ${each(node + database)} ms`,
  )
  const threads = [...after.threads].map(([name, seconds]) => `${name} ${each(seconds - (cpu.threads.get(name) ?? 0))}`)
  print(
    `  threads of the gateway, ms: ${threads.join(', ')}; emulator ${each(after.emulator - cpu.emulator)} ms, ` +
      `client ${each((user + system) / 1_000_000)} ms`,
  )
  const status = readFileSync(`/proc/${gateway.process.pid}/status`, 'utf8')
  const megabytes = (field: string) => (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024).toFixed(0)
  print(`  memory of Node: at most ${megabytes('VmHWM')} MB`)
}

function post(count: number, connections: number, first: number): Promise<void> {
  const message = (at: number) => ({
    phoneNumbers: [numberOf(first + at)],
    textMessage: { text: `message ${at}` },
  })
  return postMessages({ url: gateway.url, user: credentialsIn(folder), connections, count, message })
}

/** Waits until the modems have accepted this number of messages. */
async function accepted(count: number) {
  await eventually(
    () => emulator.ledgerLength(),
    (length) => length >= count,
    180_000,
  )
  return emulator.ledger()
}

function numberOf(at: number): string {
  return `+447400${at}`
}

interface CpuSeconds {
  readonly node: number
  readonly database: number
  readonly emulator: number
  /** The CPU time of the gateway by the name of the thread. */
  readonly threads: ReadonlyMap<string, number>
}

/**
 * Returns the CPU time of the gateway, of its PostgreSQL (including processes that have ended), and of the emulator.
 */
function cpuSeconds(): CpuSeconds {
  const { pid } = gateway.process
  const table = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
  const children = new Map<number, number[]>()
  for (const line of table.trim().split('\n')) {
    const [child = 0, parent = 0] = line.trim().split(/\s+/).map(Number)
    children.set(parent, [...(children.get(parent) ?? []), child])
  }
  const below = (parent: number): number =>
    (children.get(parent) ?? []).reduce((sum, child) => sum + statOf(`/proc/${child}`).all + below(child), 0)
  const threads = new Map<string, number>()
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const { name, own } = statOf(`/proc/${pid}/task/${id}`)
    const shown = id === String(pid) ? 'main' : name
    threads.set(shown, (threads.get(shown) ?? 0) + own)
  }
  return {
    ...{ node: statOf(`/proc/${pid}`).own, database: below(pid), threads },
    emulator: statOf(`/proc/${emulator.process.pid}`).own,
  }
}

/** Returns the CPU seconds of a process or thread, and of a process together with the children that it waited for. */
function statOf(path: string): { readonly name: string; readonly own: number; readonly all: number } {
  try {
    const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(readFileSync(`${path}/stat`, 'utf8')) ?? []
    const [user = 0, system = 0, waitedUser = 0, waitedSystem = 0] = rest.split(' ').map(Number).slice(11, 15)
    const own = (user + system) / ticksPerSecond
    return { name, own, all: own + (waitedUser + waitedSystem) / ticksPerSecond }
  } catch {
    return { name: '', own: 0, all: 0 } // the process has ended
  }
}
