import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectDatabase, type Database } from '../../src/store/database.ts'
import { callUrl } from '../../src/testing/call-url.ts'
import { startRelayProcess, type TestRelayProcess } from '../../src/testing/relay-process.ts'
import { enqueueEvents } from '../../src/webhooks/outbox/enqueue-events.ts'
import { eventId } from '../../src/webhooks/outbox/event-id.ts'
import { receivedText } from '../../src/webhooks/testing/received-text.ts'
import type { BenchDatabase } from '../bench-database.ts'
import { print } from './figures.ts'
import { startWebhookReceivers } from './start-webhook-receivers.ts'
import type { Manner, ReceiversReport } from './webhook-receivers.ts'

export interface Storm {
  readonly events: number
  readonly eventsPerSecond: number
  readonly relays: number
  readonly killEveryMs: number
}

const ILL: readonly Manner[] = ['dead', 'hanging', 'redirecting', 'too many', 'dripping', 'closing']
const MANNERS: readonly Manner[] = [...ILL, ...Array.from({ length: 14 }, () => 'well' as const)]
/** How long the remaining deliveries may take after the last event was committed. */
const PATIENCE_MS = 120_000

/** Sends each event to twenty receivers, of which six misbehave, while relays are killed and started again. */
export async function benchWebhookStorm({ url }: BenchDatabase, storm: Storm): Promise<void> {
  const receivers = await startWebhookReceivers(MANNERS)
  const database = connectDatabase({ url, connections: 5 })
  const relays = await startRelays(url, storm)
  try {
    const accountId = await register(database, relays, receivers.urls)
    const committedMs = await happen(database, accountId, storm)
    const wellIds = (webhook: number) => committedMs.map((_, event) => idOf(accountId, webhook, event))
    const report = await whenAllCame(receivers.report, wellIds)
    await relays.stop()
    show(storm, relays.killed(), judge(report, committedMs, wellIds), report)
  } finally {
    await relays.stop()
    await database.$disconnect()
    receivers.stop()
  }
}

async function register(database: Database, { any, auth }: Relays, urls: readonly string[]): Promise<string> {
  for (const [index, url] of urls.entries()) {
    const body = { id: `w${index}`, url, event: 'sms:received' }
    const { status } = await callUrl('POST', `${any().url}/3rdparty/v1/webhooks`, { auth, body })
    if (status !== 201) throw new Error(`webhook ${index} was not registered: ${status}`)
  }
  const account = await database.account.findFirstOrThrow()
  return account.id
}

/** The time at which each event was committed. */
async function happen(database: Database, accountId: string, storm: Storm): Promise<number[]> {
  const committedMs: number[] = []
  const startMs = now()
  for (let event = 0; event < storm.events; event++) {
    await sleep(Math.max(0, startMs + (event * 1000) / storm.eventsPerSecond - now()))
    await database.$transaction((statements) => enqueueEvents(statements, accountId, [receivedText(`m${event}`)]))
    committedMs.push(now())
  }
  return committedMs
}

async function whenAllCame(
  report: () => Promise<ReceiversReport>,
  wellIds: (webhook: number) => string[],
): Promise<ReceiversReport> {
  for (const giveUpAtMs = now() + PATIENCE_MS; ; await sleep(1_000)) {
    const reported = await report()
    const isComplete = reported.receivers.every(
      ({ firstMs }, index) => MANNERS[index] !== 'well' || Object.keys(firstMs).length >= wellIds(index).length,
    )
    if (isComplete || now() > giveUpAtMs) return reported
  }
}

function judge({ receivers }: ReceiversReport, committedMs: readonly number[], wellIds: (webhook: number) => string[]) {
  const latencies: number[] = []
  let missing = 0
  let unknown = 0
  let repeated = 0
  for (const [index, { firstMs, requests }] of receivers.entries()) {
    if (MANNERS[index] !== 'well') continue
    const ids = wellIds(index)
    for (const [event, id] of ids.entries()) {
      const arrivedMs = firstMs[id]
      if (arrivedMs === undefined) missing += 1
      else latencies.push(arrivedMs - (committedMs[event] ?? 0))
    }
    const came = Object.keys(firstMs).length
    unknown += came - ids.filter((id) => id in firstMs).length
    repeated += requests - came
  }
  latencies.sort((one, other) => one - other)
  return { latencies, missing, unknown, repeated }
}

function show(
  { events }: Storm,
  killed: number,
  { latencies, missing, unknown, repeated }: ReturnType<typeof judge>,
  { receivers, trespasses }: ReceiversReport,
): void {
  const at = (share: number) => (latencies[Math.floor((latencies.length - 1) * share)] ?? 0).toFixed(0)
  print(`${events} events, 20 receivers, ${killed} kills`, 'p50 ms', 'p99 ms', 'longest ms')
  print('first attempts to the 14 healthy receivers', at(0.5), at(0.99), at(1))
  print('', 'missing', 'unknown ids', 'repeated')
  print('events', String(missing), String(unknown), String(repeated))
  const mostAtOnce = Math.max(...receivers.map((one) => one.mostAtOnce))
  print('most concurrent requests to one receiver', String(mostAtOnce))
  print('requests to forbidden addresses', String(trespasses))
  if (missing > 0 || unknown > 0 || trespasses > 0) process.exitCode = 1
}

interface Relays {
  readonly auth: string
  any(): TestRelayProcess
  killed(): number
  stop(): Promise<void>
}

/** Kills one relay after the other and starts a new relay for each. */
async function startRelays(url: string, { relays: count, killEveryMs }: Storm): Promise<Relays> {
  const password = randomBytes(12).toString('base64url')
  const settings = {
    DATABASE_URL: url,
    SERVER_SECRET: randomBytes(32).toString('base64'),
    ADMIN_USERNAME: 'sms',
    ADMIN_PASSWORD: password,
    WEBHOOK_ALLOW_HTTP: '1',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
  }
  const running: TestRelayProcess[] = []
  for (let relay = 0; relay < count; relay++) running.push(await startRelayProcess(settings))
  let killed = 0
  let isStopping = false
  const stopping = new AbortController()
  const killing = (async () => {
    while (!isStopping) {
      await sleep(killEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (isStopping) break
      const victim = running.shift()
      victim?.kill('SIGKILL')
      await victim?.ended
      killed += 1
      running.push(await startRelayProcess(settings))
    }
  })()
  return {
    auth: `Basic ${Buffer.from(`sms:${password}`).toString('base64')}`,
    any: () => running[0] as TestRelayProcess,
    killed: () => killed,
    async stop() {
      isStopping = true
      stopping.abort()
      await killing
      for (const relay of running) relay.kill('SIGKILL')
      await Promise.all(running.splice(0).map(({ ended }) => ended))
    },
  }
}

function idOf(accountId: string, webhook: number, event: number): string {
  return eventId(accountId, `w${webhook}`, receivedText(`m${event}`))
}

function now(): number {
  return performance.timeOrigin + performance.now()
}
