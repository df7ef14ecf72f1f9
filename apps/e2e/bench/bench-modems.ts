// Measures an agent with 64 modems, which is the largest number for one device: its start, its memory, its CPU time
// while each modem sends, and whether a modem that hangs delays the others. A second agent with 64 more modems shows
// the start of 128 ports on one machine.
import { mkdirSync, readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { eventually } from '../src/house/api-client.ts'
import { Emulator } from '../src/house/emulator.ts'
import { House } from '../src/house/house.ts'
import { residentMiB } from '../src/house/machine/memory.ts'
import type { HouseProcess } from '../src/house/machine/process.ts'
import { numberedModems } from './numbered-modems.ts'

const { values } = parseArgs({
  options: { modems: { type: 'string', default: '64' }, seconds: { type: 'string', default: '60' } },
})
const count = Number(values.modems)
const seconds = Number(values.seconds)
const everyMs = 3_000
const print = (line: string) => process.stdout.write(`${line}\n`)

const house = await House.start({ modems: numberedModems(count) })
try {
  const ports = house.emulator.ports.map(([, pty]) => pty).join()
  await restart(ports.split(',')[0] ?? '')
  await untilReady(1, 1)
  await sleep(15_000)
  const aloneMiB = residentMiB(house.agent?.pid ?? 0)

  const beganAt = performance.now()
  const agent = await restart(ports)
  await untilReady(1, count)
  print(`${count} modems, ready after: ${((performance.now() - beganAt) / 1_000).toFixed(1)} s`)
  await sleep(15_000)
  print(`memory of each further modem, at rest: ${perModem(agent, aloneMiB)}`)
  print(`a message from each modem every ${everyMs / 1_000} s: ${await traffic(agent, 0)}`)
  await house.emulator.instruct('set-fault', { modem: 'modem0', fault: 'modem-hang' })
  print(`the same for the others while one modem hangs: ${await traffic(agent, 1)}`)
  await house.emulator.instruct('clear-fault', { modem: 'modem0' })
  await house.emulator.instruct('reboot', { modem: 'modem0' })
  print(`memory of each further modem, after the traffic: ${perModem(agent, aloneMiB)}`)
  await startTwoAgents(ports)
  print(`load of the machine at the end: ${loadavg()[0]?.toFixed(1)}`)
} finally {
  await house.stop()
}
process.exit(0)

async function restart(modems: string, more: Readonly<Record<string, string>> = {}): Promise<HouseProcess> {
  await house.agent?.stop()
  return house.startAgent({ MODEMS: modems, ...more }, false)
}

/** Resolves when this number of devices are online, and at least `sims` of their SIMs can send. */
async function untilReady(devices: number, sims: number): Promise<void> {
  await eventually(
    async () => (await house.api.ask('GET', '/devices')).json as readonly Device[],
    (found) => {
      const online = found.filter((device) => device.online)
      const ready = online.flatMap(({ simCards }) => simCards.filter(({ state }) => state === 'ready'))
      return online.length === devices && ready.length >= sims
    },
    300_000,
  )
}

interface Device {
  readonly online: boolean
  readonly simCards: readonly { readonly state: string }[]
}

/** Sends with each modem from `first` on, evenly spread, and returns CPU time and delays as a line. */
async function traffic(agent: HouseProcess, first: number): Promise<string> {
  const startedMs = performance.now()
  const before = cpuSeconds(agent.pid)
  const sentAt = new Map<string, number>()
  const total = Math.floor((seconds * 1_000) / everyMs) * (count - first)
  for (let at = 0; at < total; at += 1) {
    const dueMs = (at * everyMs) / (count - first)
    await sleep(Math.max(0, startedMs + dueMs - performance.now()))
    const to = `+4474${first}${String(at).padStart(7, '0')}`
    sentAt.set(to, Date.now())
    await house.api.send({
      phoneNumbers: [to],
      textMessage: { text: `Bench ${at}` },
      simNumber: first + 1 + (at % (count - first)),
    })
  }
  const took = (performance.now() - startedMs) / 1_000
  const cpu = (100 * (cpuSeconds(agent.pid) - before)) / took
  const ours = () => house.emulator.ledger().filter(({ destination }) => sentAt.has(destination))
  const arrived = await eventually(ours, (found) => found.length >= total, 120_000)
  const delays = arrived
    .map(({ destination, time }) => Date.parse(time) - (sentAt.get(destination) ?? 0))
    .sort((a, b) => a - b)
  const [p50, p99] = [0.5, 0.99].map((share) => delays[Math.floor(delays.length * share)])
  return `${cpu.toFixed(1)} % of one core (aim: 15 %), ${total} messages, from the POST to the network p50 ${p50} ms, p99 ${p99} ms`
}

async function startTwoAgents(ports: string): Promise<void> {
  const folder = join(house.folder, 'second')
  mkdirSync(folder)
  const emulator = await Emulator.start(folder, numberedModems(count, count))
  await house.agent?.stop()
  const beganAt = performance.now()
  const second = emulator.ports.map(([, pty]) => pty).join()
  const other = await house.startAgent({ MODEMS: second, DATA_DIR: folder }, false)
  await house.startAgent({ MODEMS: ports }, false)
  await untilReady(2, 2 * count)
  print(
    `${2 * count} ports, two agents, ready after: ${((performance.now() - beganAt) / 1_000).toFixed(1)} s (aim: 60 s)`,
  )
  await other.stop()
  await emulator.process.stop()
}

/** Returns user and system time of a process, which Linux counts in hundredths of a second. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function perModem(agent: HouseProcess, aloneMiB: number): string {
  return `${(((residentMiB(agent.pid) - aloneMiB) * 1.048_576) / (count - 1)).toFixed(2)} MB (aim: 1 MB)`
}
