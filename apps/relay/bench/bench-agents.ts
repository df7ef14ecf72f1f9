// Measures the cost of idle agents for a relay, and the delay until an agent receives a message:
//
//   node apps/relay/bench/bench-agents.ts [--agents 5000] [--at-once 64] [--messages 200] [--idle 60] [--phones 1000]
//     [--main dist/relay/main.js]
//
// The relay is a separate process with the flags of its service. Its memory is the RSS on Linux at the end of the idle
// time. The agents are real sessions on real sockets, all in this process. `--at-once` agents connect at the same time.
// `--phones` adds phones with Server-Sent Events. For a phone, the benchmark measures the delay until it gets the
// notice of a message, and the duration of the pull that follows.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { newKeys, ScriptedAgent } from '../src/link/testing/scripted-agent.ts'
import { type BenchDatabase, withBenchDatabase } from './bench-database.ts'
import { type BenchRelays, withBenchRelays } from './bench-relays.ts'
import { median, print } from './load/figures.ts'
import { SsePhone } from './load/sse-phones.ts'

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '5000' },
    // With the number of agents as value, all agents connect at once, as after the stop of another relay.
    'at-once': { type: 'string', default: '64' },
    messages: { type: 'string', default: '200' },
    // The time of three heartbeats, in which every agent answers some pings.
    idle: { type: 'string', default: '60' },
    phones: { type: 'string', default: '0' },
    // The path of another build. A relay that runs from a bundle needs less memory than a relay that runs from its
    // sources.
    main: { type: 'string' },
  },
})
const [agentCount, phoneCount, messageCount] = [Number(values.agents), Number(values.phones), Number(values.messages)]
/** A limit, because registrations of one account wait for each other. */
const registrationsAtOnce = 8
const IDLE_MS = Number(values.idle) * 1000

await withBenchDatabase((database) =>
  withBenchRelays(database, 1, (relays) => measure(database, relays), { main: values.main }),
)

async function measure(database: BenchDatabase, relays: BenchRelays): Promise<void> {
  const pid = relays.pids[0] as number
  const before = memoryMb(pid)
  const agents = await makeAgents(database, relays)
  const [started, cpuStarted] = [performance.now(), cpuSeconds(pid)]
  await comeIn(agents)
  const arrivedMs = performance.now() - started
  const cpuEachMs = ((cpuSeconds(pid) - cpuStarted) * 1000) / agentCount
  print(
    `${agentCount} agents arrive`,
    `${(arrivedMs / 1000).toFixed(1)} s`,
    `${cpuEachMs.toFixed(2)} ms CPU of the relay each`,
  )
  const withAgents = memoryMb(pid)
  const phones = await connectPhones(relays)
  const cpuBefore = cpuSeconds(pid)
  await sleep(IDLE_MS)
  const cpuShare = (cpuSeconds(pid) - cpuBefore) / (IDLE_MS / 1000)
  const after = memoryMb(pid)
  const eachKb = ((after - before) * 1024) / (agentCount + phoneCount)
  print(
    'memory of the relay: empty, with agents, with all, each',
    `${before} MB`,
    `${withAgents} MB`,
    `${after} MB`,
    `${eachKb.toFixed(1)} KB`,
  )
  print('CPU while idle', `${(cpuShare * 100).toFixed(1)} %`)
  const reasons = Map.groupBy(
    agents.flatMap(({ ended }) => ended),
    (why) => why,
  )
  print('connections that ended', [...reasons].map(([why, all]) => `${all.length} ${why}`).join(', ') || 'none')
  await wake(agents, relays)
  if (phones.length > 0) await notify(phones, relays)
  for (const one of [...agents, ...phones]) one.stop()
}

async function comeIn(agents: readonly ScriptedAgent[]): Promise<void> {
  const outside = agents.values()
  const comeOneByOne = async () => {
    for (const agent of outside) await agent.start().online()
  }
  await Promise.all(Array.from({ length: Number(values['at-once']) }, comeOneByOne))
}

async function connectPhones(relays: BenchRelays): Promise<readonly SsePhone[]> {
  if (phoneCount === 0) return []
  const startedMs = performance.now()
  const numbers = Array.from({ length: phoneCount }, (_, number) => number).values()
  const phones: SsePhone[] = []
  const connectOneByOne = async () => {
    for (const number of numbers) phones.push(await SsePhone.connect(relays, number))
  }
  await Promise.all(Array.from({ length: registrationsAtOnce }, connectOneByOne))
  print(`${phoneCount} phones register and connect`, `${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
  return phones
}

/** Sends messages one after the other, each to a random phone, which pulls as soon as it gets the notice. */
async function notify(phones: readonly SsePhone[], relays: BenchRelays): Promise<void> {
  const [toNotice, ofPull]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < messageCount; turn += 1) {
    const phone = phones[Math.floor(Math.random() * phones.length)] as SsePhone
    const startedMs = performance.now()
    const noticed = phone.nextNotice().then(() => performance.now())
    const id = await post(relays, phone.id)
    const noticedMs = await noticed
    toNotice.push(noticedMs - startedMs)
    const pullMs = performance.now()
    if (!(await phone.pull()).includes(id)) throw new Error('a pull after the notice did not return the message')
    ofPull.push(performance.now() - pullMs)
  }
  print('POST to the notice at the phone: p50, p99', ...quantiles(toNotice))
  print('pull of a phone: p50, p99', ...quantiles(ofPull))
}

async function post({ urls, auth }: BenchRelays, deviceId: string): Promise<string> {
  const response = await fetch(`${urls[0]}/3rdparty/v1/messages`, {
    method: 'POST',
    headers: { authorization: auth, 'content-type': 'application/json' },
    body: JSON.stringify({ textMessage: { text: 'hello' }, phoneNumbers: ['+4915112345678'], deviceId }),
  })
  if (response.status !== 202) throw new Error(`a message was refused: ${await response.text()}`)
  return ((await response.json()) as { id: string }).id
}

/**
 * Sends messages one after the other, each to a random agent. Measures the time from the request to the arrival of the
 * command on the agent's socket.
 */
async function wake(agents: readonly ScriptedAgent[], relays: BenchRelays): Promise<void> {
  const [toAnswer, toAgent]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < messageCount; turn += 1) {
    const agent = agents[Math.floor(Math.random() * agents.length)] as ScriptedAgent
    const has = agent.commands.length
    const startedMs = performance.now()
    const received = agent.until(() => agent.commands.length > has).then(() => performance.now() - startedMs)
    await post(relays, agent.deviceId)
    toAnswer.push(performance.now() - startedMs)
    toAgent.push(await received)
  }
  print('POST to 202: p50, p99', ...quantiles(toAnswer))
  print('POST to the command at the agent: p50, p99', ...quantiles(toAgent))
}

function quantiles(times: readonly number[]): [string, string] {
  const p99 = [...times].sort((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0
  return [`${median(times).toFixed(1)} ms`, `${p99.toFixed(1)} ms`]
}

/** Stores agents as if they were already paired. */
async function makeAgents({ pool }: BenchDatabase, { urls, accountId }: BenchRelays): Promise<ScriptedAgent[]> {
  const made = Array.from({ length: agentCount }, (_, index) => ({ id: `bench-${index}`, keys: newKeys(), index }))
  await pool.query(
    `INSERT INTO devices (id, account_id, name, public_key)
     SELECT id, $1, id, public_key FROM unnest($2::text[], $3::text[]) AS d (id, public_key)`,
    [accountId, made.map(({ id }) => id), made.map(({ keys }) => keys.publicKey)],
  )
  return made.map(({ id, keys, index }) => {
    const address = `10.0.${index >> 8}.${index & 255}`
    return new ScriptedAgent({
      url: urls[0] as string,
      identity: { deviceId: id },
      keys,
      address,
      chance: Math.random(),
    })
  })
}

function memoryMb(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
}

/** Returns the CPU time in user and kernel mode. A tick is 1/100 s. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}
