// `npm run proof -- ha [--optional]` runs three database machines with the configuration of `deploy/ha`, two relays
// behind HAProxy, two agents and three modems, and stops and disconnects database machines while messages are sent and
// received. At the end it compares API and webhooks with the ledger of the network.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { everything, failing, untilRecovered } from '../chaos/health.ts'
import { ChaosLoad } from '../chaos/load.ts'
import { seededNumbers } from '../chaos/seeded-random.ts'
import { auditUntilComplete, untilEnded } from '../chaos/until-ended.ts'
import { eventually } from '../src/house/api-client.ts'
import { type Balancer, currentPrograms, startFleetWith } from '../src/house/fleet.ts'
import { freePort } from '../src/house/machine/free-port.ts'
import { HouseProcess, ROOT } from '../src/house/machine/process.ts'
import { Receiver } from '../src/house/peers/receiver.ts'
import { createCertificate } from './certificates.ts'
import { DatabaseCluster, whyNoCluster } from './database-cluster.ts'
import { databaseFaults } from './database-faults.ts'
import { removeNetwork } from './network.ts'

/** The longest time without an accepted message after a fault. */
const LIMIT_SECONDS = 30

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    optional: { type: 'boolean', default: false },
    fault: { type: 'string', multiple: true },
    times: { type: 'string', default: '1' },
  },
})
const print = (line: string) => process.stdout.write(`${line}\n`)
const obstacle = whyNoCluster()
if (obstacle !== undefined) {
  print(`skip  ha: ${obstacle}`)
  print('0 passed, 0 failed, 1 skipped')
  process.exit(values.optional ? 0 : 1)
}

const totals = { passed: 0, failed: 0 }
process.once('exit', removeNetwork) // also after an error during the start
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]))
const receiver = await Receiver.start()
const fleet = await startFleetWith(
  { startDatabase: DatabaseCluster.start, startBalancer },
  (line) => print(`  ${line}`),
  {
    ...currentPrograms,
    settings: { TRUSTED_PROXIES: '127.0.0.1/32' },
  },
)
process.on('unhandledRejection', (error) => {
  print(`run aborted: ${error instanceof Error ? error.stack : error}`)
  void fleet.stop().finally(() => process.exit(1))
})
const cluster = fleet.postgres
let isOver = false
try {
  const startedAt = performance.now()
  const missing = await untilRecovered(
    () => failing(fleet),
    everything(fleet),
    180_000,
    () => startedAt,
  )
  if (missing.length > 0) throw new Error(`not ready: ${missing.join(', ')}`)
  for (const event of ['sms:received', 'sms:sent', 'sms:delivered', 'sms:failed'])
    await fleet.balanced?.ask('POST', '/webhooks', { url: receiver.url, event })
  const load = new ChaosLoad(fleet, seededNumbers(1))
  const running = load.run(Number.POSITIVE_INFINITY, 250, () => isOver)
  const chosen = databaseFaults.filter(({ name }) => values.fault?.some((part) => name.includes(part)) ?? true)
  if (chosen.length === 0)
    throw new Error(`no fault is named like that: ${databaseFaults.map(({ name }) => name).join(', ')}`)
  for (const { name, inject } of Array.from({ length: Number(values.times) }, () => chosen).flat()) {
    await untilAccepted(load, 8)
    const before = (await cluster.primary())?.name
    const injectedAt = performance.now()
    const longestPause = watchPauses(load)
    const undo = await inject(cluster)
    await untilAccepted(load, 8)
    await undo()
    await cluster.untilHealthy()
    await untilRecovered(
      () => failing(fleet),
      everything(fleet),
      180_000,
      () => injectedAt,
    )
    const pause = longestPause()
    const after = (await cluster.primary())?.name
    const tookSeconds = (performance.now() - injectedAt) / 1_000
    const result = `no message accepted for ${pause.toFixed(1)} s, primary ${before} → ${after}, healthy again after ${tookSeconds.toFixed(0)} s`
    judge(`${name}: ${result}`, pause < LIMIT_SECONDS)
  }
  isOver = true
  await running
  await untilEnded(fleet, load, print)
  const found = await auditUntilComplete(fleet, load, receiver, print)
  const crashes = [...fleet.relays, ...fleet.agents].flatMap(({ post }) => post.crashes)
  const wrong = {
    lost: found.lost,
    'sent twice': found.duplicated,
    'not ended': found.notEnded,
    wrong: found.wrong,
    crashed: crashes,
  }
  for (const [kind, lines] of Object.entries(wrong)) for (const line of lines.slice(0, 20)) print(`  ${kind}: ${line}`)
  const counts = Object.entries(wrong).map(([kind, { length }]) => `${length} ${kind}`)
  const summary = `${load.sent.length} sent, ${load.received.length} received: ${counts.join(', ')}, ${found.inDoubt.length} in doubt`
  const unusable = [...new Set(load.unusable)].slice(0, 3).join('; ')
  judge(`${load.unusable.length} answers that a client cannot handle ${unusable}`, load.unusable.length === 0)
  judge(
    summary,
    Object.values(wrong).every(({ length }) => length === 0),
  )
} catch (error) {
  judge(`${error instanceof Error ? error.stack : error}`, false)
  for (const machine of cluster.machines) print(machine.lastLines())
} finally {
  isOver = true
  await fleet.stop()
  await receiver.stop()
}
print(`${totals.passed} passed, ${totals.failed} failed, 0 skipped`)
process.exit(totals.failed === 0 ? 0 : 1)

function judge(text: string, isGood: boolean): void {
  totals[isGood ? 'passed' : 'failed'] += 1
  print(`${isGood ? 'ok  ' : 'FAIL'}  ${text}`)
}

/** Resolves when the relays have accepted this many more messages. */
async function untilAccepted(load: ChaosLoad, count: number): Promise<void> {
  const target = load.sent.length + count
  const limit = performance.now() + 180_000
  while (load.sent.length < target) {
    if (performance.now() > limit) throw new Error('no message was accepted for three minutes')
    await sleep(50)
  }
}

/**
 * Returns a function. It ends the watch, and its result is the longest time in seconds in which no message was
 * accepted.
 */
function watchPauses(load: ChaosLoad): () => number {
  let [accepted, lastAt, longestMs] = [load.sent.length, performance.now(), 0]
  const timer = setInterval(() => {
    const now = performance.now()
    longestMs = Math.max(longestMs, now - lastAt)
    if (load.sent.length > accepted) lastAt = now
    accepted = load.sent.length
  }, 50)
  return () => {
    clearInterval(timer)
    return longestMs / 1_000
  }
}

/** Starts HAProxy with the configuration of `deploy/ha`. Uses no TLS, because the clients are on this machine. */
async function startBalancer(folder: string, relayPorts: readonly number[]): Promise<Balancer> {
  const text = readFileSync(join(ROOT, 'deploy/ha/haproxy.cfg'), 'utf8')
  const port = await freePort()
  const settings = {
    LISTEN: `127.0.0.1:${port}`,
    CERTIFICATE: join(folder, 'balancer.pem'),
    RELAY1: `127.0.0.1:${relayPorts[0]}`,
    RELAY2: `127.0.0.1:${relayPorts[1]}`,
  }
  createCertificate(settings.CERTIFICATE)
  const path = `${process.env['PATH']}:/usr/sbin`
  const check = ['-c', '-f', join(ROOT, 'deploy/ha/haproxy.cfg')]
  execFileSync('haproxy', check, { env: { PATH: path, ...settings }, stdio: ['ignore', 'ignore', 'pipe'] })
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, text.replace(/ ssl crt .*$/m, ''))
  const haproxy = new HouseProcess('haproxy', 'haproxy', ['-f', file], { ...settings, PATH: path }, { folder })
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ status }) => status,
      () => 0,
    )
  await eventually(isUp, (status) => status === 200 || haproxy.isOver, 120_000)
  if (haproxy.isOver) throw new Error(`haproxy ended: ${haproxy.complaints}`)
  return { port, stop: () => haproxy.kill() }
}
