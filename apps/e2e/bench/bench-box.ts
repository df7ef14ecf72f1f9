// Measures one box (the gateway) at full speed: messages a second from POST to the modem, and the CPU time for each message.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { eventually } from '../src/house/api-client.ts'
import { Emulator } from '../src/house/emulator.ts'
import { Gateway, newFolder } from '../src/house/gateway.ts'

const { values } = parseArgs({
  options: { messages: { type: 'string' }, connections: { type: 'string' }, idle: { type: 'string' } },
})
const messages = Number(values.messages ?? 3000)
const connections = Number(values.connections ?? 32)
const idle = Number(values.idle ?? 200)
const print = (line: string) => process.stdout.write(`${line}\n`)
const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

const folder = newFolder()
const emulator = await Emulator.start(folder)
const gateway = await Gateway.start({ MODEMS: emulator.pty() }, { folder })
try {
  await gateway.untilReady()
  await post(200, 8, 100_000)
  await accepted(200)
  await latency()
  await burst()
} finally {
  await gateway.stop()
  await emulator.process.stop()
}
process.exit(0)

async function latency(): Promise<void> {
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

async function burst(): Promise<void> {
  const before = emulator.ledger().length
  const cpu = cpuSeconds()
  const beganAt = Date.now()
  await post(messages, connections, 400_000)
  const postedMs = Date.now() - beganAt
  const lines = await accepted(before + messages)
  const lastMs = Math.max(...lines.map(({ time }) => Date.parse(time)))
  // Reports and events of the last messages follow.
  await sleep(1_500)
  const after = cpuSeconds()
  const each = (seconds: number) => ((seconds * 1000) / messages).toFixed(2)
  const node = after.node - cpu.node
  const database = after.database - cpu.database
  print(
    `${messages} messages, ${connections} connections: ${((messages * 1000) / (lastMs - beganAt)).toFixed(0)} a second ` +
      `(accepted in ${postedMs} ms); CPU for each: node ${each(node)} + PostgreSQL ${each(database)} = ${each(node + database)} ms`,
  )
}

async function post(count: number, atOnce: number, first: number): Promise<void> {
  let next = 0
  const one = async () => {
    for (let at = next++; at < count; at = next++)
      await gateway.api.send({ phoneNumbers: [numberOf(first + at)], textMessage: { text: `message ${at}` } })
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

function accepted(count: number) {
  return eventually(
    () => emulator.ledger(),
    (lines) => lines.length >= count,
    180_000,
  )
}

function numberOf(at: number): string {
  return `+447400${at}`
}

/** CPU time of the gateway and of its PostgreSQL, including processes that have ended. */
function cpuSeconds(): { readonly node: number; readonly database: number } {
  const own = statOf(gateway.process.pid)
  const table = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
  const children = new Map<number, number[]>()
  for (const line of table.trim().split('\n')) {
    const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number)
    children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const below = (pid: number): number =>
    (children.get(pid) ?? []).reduce((sum, child) => sum + statOf(child).all + below(child), 0)
  return { node: own.own / ticksPerSecond, database: below(gateway.process.pid) / ticksPerSecond }
}

function statOf(pid: number): { readonly own: number; readonly all: number } {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, waitedUser = 0, waitedSystem = 0] = fields.slice(11, 15)
    return { own: user + system, all: user + system + waitedUser + waitedSystem }
  } catch {
    return { own: 0, all: 0 } // it has ended meanwhile
  }
}
