// Sends a flood of wrong passwords and a few valid requests to a separate relay with its own database:
//
// node apps/relay/bench/bench-flood.ts [--wrong 500] [--good 50] [--seconds 70]
//
// There are three floods, one after the other. The first flood guesses the password of the owner's account from the
// owner's own address. It lasts longer than a login is remembered. The second flood tries a list of usernames from one
// address. The third flood makes each guess from another address. During the floods the owner continues to send valid
// requests. Each request is sent at its planned time, even if earlier requests are not answered yet, and its latency
// counts from its planned time.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startRelayProcess } from '../src/testing/relay-process.ts'
import { withScratchFolder } from '../src/testing/scratch-folder.ts'

const { values } = parseArgs({
  options: {
    wrong: { type: 'string', default: '500' },
    good: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '70' },
  },
})
const [wrongPerSecond, goodPerSecond, seconds] = [Number(values.wrong), Number(values.good), Number(values.seconds)]
const OWNER = 'sms'
const PASSWORD = 'the password of the owner'
const HOME = '127.0.0.1'
/** Refused and lost connections are counted under this status. */
const NO_ANSWER = 0

interface Flood {
  readonly name: string
  readonly seconds: number
  /** Returns the address and the username of the next guess. */
  readonly guess: (index: number) => { readonly username: string; readonly address: string }
}

const floods: readonly Flood[] = [
  { name: 'none', seconds: 5, guess: () => ({ username: OWNER, address: HOME }) },
  { name: 'one account, from its own address', seconds, guess: () => ({ username: OWNER, address: HOME }) },
  { name: 'usernames, from one address', seconds: 10, guess: (i) => ({ username: `user${i}`, address: '127.0.0.2' }) },
  { name: 'each from another address', seconds: 20, guess: (i) => ({ username: OWNER, address: loopback(i) }) },
]

await withScratchFolder('flood', async (folder) => {
  const relay = await startRelay(folder.path)
  folder.endBefore(() => relay.stop())
  for (const flood of floods) await measure(relay, flood)
})

async function measure(relay: FloodedRelay, flood: Flood): Promise<void> {
  const isQuiet = flood.name === 'none'
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const once = new Agent({ keepAlive: false })
  const cpuBefore = relay.cpuSeconds()
  const [good, wrong] = await Promise.all([
    atRate(goodPerSecond, flood.seconds, () => get(relay, agent, { username: OWNER, address: HOME }, PASSWORD)),
    atRate(isQuiet ? 0 : wrongPerSecond, flood.seconds, (index) => {
      const guess = flood.guess(index)
      return get(relay, guess.address === HOME ? agent : once, guess, randomBytes(9).toString('base64url'))
    }),
  ])
  agent.destroy()
  const cpuSeconds = relay.cpuSeconds() - cpuBefore
  report(`flood: ${flood.name} (relay: ${((cpuSeconds / flood.seconds) * 100).toFixed(0)} % of a core)`)
  report(`  good   ${summary(good)}`)
  if (!isQuiet) report(`  wrong  ${summary(wrong)}`)
}

interface Outcome {
  readonly status: number
  readonly ms: number
}

/** Sends requests at a fixed rate, even if the server answers slowly (open loop). */
async function atRate(
  perSecond: number,
  seconds: number,
  send: (index: number) => Promise<number>,
): Promise<Outcome[]> {
  const outcomes: Promise<Outcome>[] = []
  const startMs = performance.now()
  for (let index = 0; index < perSecond * seconds; index++) {
    const dueMs = startMs + (index * 1000) / perSecond
    const waitMs = dueMs - performance.now()
    if (waitMs > 1) await sleep(waitMs)
    outcomes.push(send(index).then((status) => ({ status, ms: performance.now() - dueMs })))
  }
  return Promise.all(outcomes)
}

function get(
  relay: FloodedRelay,
  agent: Agent,
  { username, address }: { username: string; address: string },
  password: string,
): Promise<number> {
  const { promise, resolve: done } = Promise.withResolvers<number>()
  const url = `${relay.url}/3rdparty/v1/messages?limit=1`
  request(url, { agent, auth: `${username}:${password}`, localAddress: address }, (response) => {
    response.resume().on('end', () => done(response.statusCode ?? 0))
  })
    .on('error', () => done(NO_ANSWER))
    .end()
  return promise
}

function summary(outcomes: readonly Outcome[]): string {
  const sorted = outcomes.map(({ ms }) => ms).sort((one, other) => one - other)
  const quantile = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1).padStart(6)
  const statuses = [...new Set(outcomes.map(({ status }) => status))].sort()
  const counts = statuses.map(
    (status) => `${status}: ${outcomes.filter((outcome) => outcome.status === status).length}`,
  )
  const latencies = `p50 ${quantile(0.5)} ms   p99 ${quantile(0.99)} ms   max ${(sorted.at(-1) ?? 0).toFixed(1)} ms`
  return `${latencies}   ${counts.join(', ')}`
}

function loopback(index: number): string {
  return `127.${1 + ((index >> 16) & 127)}.${(index >> 8) & 255}.${1 + (index % 254)}`
}

type FloodedRelay = Awaited<ReturnType<typeof startRelay>>

async function startRelay(folder: string) {
  const { url, pid, kill, ended } = await startRelayProcess({
    DATA_DIR: folder,
    SERVER_SECRET: randomBytes(32).toString('base64'),
    ADMIN_USERNAME: OWNER,
    ADMIN_PASSWORD: PASSWORD,
  })
  return {
    url,
    cpuSeconds: () => cpuSecondsOf(pid),
    async stop() {
      kill('SIGTERM')
      await ended
    },
  }
}

/** Returns the CPU time, which other work on the machine hardly affects. A tick is 10 ms (see proc_pid_stat(5)). */
function cpuSecondsOf(pid: number): number {
  const [utime = 0, stime = 0] =
    readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ').slice(11, 13).map(Number) ?? []
  return (utime + stime) / 100
}

function report(line: string): void {
  process.stdout.write(`${line}\n`)
}
