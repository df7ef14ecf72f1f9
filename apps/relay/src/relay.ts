import type { Log } from '@smsgw/daemon/log'
import { ensureAccount } from './accounts/ensure-account.ts'
import { agentMetrics, dispatchMetrics } from './agents/agent-metrics.ts'
import { AgentSockets } from './agents/agent-sockets.ts'
import { EventRecorder } from './agents/event-recorder.ts'
import { PostgresHintBus } from './agents/postgres-hint-bus.ts'
import { WakeHints } from './agents/wake-hints.ts'
import { type AuthNeeds, buildAuth } from './auth/auth.ts'
import { ensureEnrolmentToken } from './auth/enrolment-token.ts'
import { loginMetrics } from './auth/login-metrics.ts'
import { rotateSigningKeys } from './auth/rotate-signing-keys.ts'
import { type Clock, systemClock } from './clock.ts'
import type { RelayConfig } from './config.ts'
import { adoptBuiltInDevice } from './devices/adopt-built-in-device.ts'
import { PairingThrottle } from './devices/pairing-throttle.ts'
import { databaseHealth } from './health/database-health.ts'
import { drainHealth } from './health/drain-health.ts'
import { processHealth } from './health/process-health.ts'
import type { ServerParts } from './http/build-server.ts'
import { routes } from './http/routes.ts'
import { LiveEvents } from './live/live-events.ts'
import { BufferedLogbook } from './logs/logbook.ts'
import { messageMetrics } from './messages/message-metrics.ts'
import { openMetrics } from './metrics/metrics.ts'
import { type PeriodicParts, periodicWorks } from './periodic-works.ts'
import { newId, type Random, systemRandom } from './random.ts'
import { serveMetrics, serveRoutes } from './serve-http.ts'
import { openStore } from './store/open-store.ts'
import { outlastAbsence } from './store/outlast-absence.ts'
import { startPeriodicWork } from './store/periodic-work.ts'
import { secretBox } from './store/secret-box.ts'
import { longestToken, tokenRules } from './token-rules.ts'
import { VERSION } from './version.ts'
import type { VirtualPhone } from './virtual-phone/virtual-phone.ts'
import { addressRules } from './webhooks/address-rules.ts'
import { deliveryMetrics } from './webhooks/delivery/delivery-metrics.ts'
import { DeliveryWorker } from './webhooks/delivery/delivery-worker.ts'
import { GuardedClient } from './webhooks/delivery/guarded-client.ts'

export interface RelayOptions {
  readonly config: RelayConfig
  readonly log: Log
  /** Local Server mode: one box, passwords alone, plain HTTP. */
  readonly isLocal?: boolean
  /** Of the modem beside it, when that is a virtual one. */
  readonly virtualPhone?: VirtualPhone | undefined
  /** Whoever keeps a copy of it. Never throws: it is changed already. */
  readonly onPasswordChanged?: AuthNeeds['onPasswordChanged']
  readonly clock?: Clock
  readonly random?: Random
  readonly checkAnswer?: ServerParts['checkAnswer']
}

export interface Relay {
  /** Where it is served. */
  readonly url: string
  /** An agent in this process, over a pair of functions instead of a WebSocket. */
  acceptAgent: AgentSockets['accept']
  /** Of Local Server mode; its id. */
  adoptBuiltInDevice(device: { readonly publicKey: string; readonly name: string }): Promise<string>
  /** Tells whoever asks for its health that it is about to end, and goes on serving. */
  drain(): void
  /** Finishes what is under way, and leaves everything written. */
  close(): Promise<void>
}

/** One relay, from the database up. It serves when this returns. */
export function startRelay(options: RelayOptions): Promise<Relay> {
  const { config, log } = options
  const waitMs = config.DATABASE_WAIT_SECONDS * 1000
  return outlastAbsence(() => startOnce(options), { waitMs, report: (line) => log.warn(line) })
}

async function startOnce(options: RelayOptions): Promise<Relay> {
  const {
    config,
    log,
    isLocal = false,
    clock = systemClock,
    random = systemRandom,
    checkAnswer,
    virtualPhone,
    onPasswordChanged,
  } = options
  const ending: (() => unknown)[] = []
  let isDraining = false
  try {
    const box = secretBox(config.SERVER_SECRET, random)
    const store = await openStore({ config, box, random, log })
    const { database } = store
    ending.push(() => store.close())
    const base = { config, log, clock, random, box, database }
    await prepare(base)

    const logbook = new BufferedLogbook(base)
    ending.push(() => logbook.drain())
    const relayId = newId(random)
    const hints = new WakeHints(new PostgresHintBus({ url: store.url, relayId, log }))
    ending.push(() => hints.close())
    const metrics = openMetrics()
    const { onAccepted, onMoved } = messageMetrics(metrics.registry, database)
    const webhookRules = addressRules({
      allowHttp: config.WEBHOOK_ALLOW_HTTP,
      allowNetworks: config.WEBHOOK_ALLOW_CIDRS,
      publicUrl: config.PUBLIC_URL,
      localServerMode: isLocal,
    })
    const outbox = new DeliveryWorker({
      ...base,
      url: store.url,
      logbook,
      client: new GuardedClient(webhookRules),
      observe: deliveryMetrics(metrics.registry, database),
    })
    ending.push(() => outbox.stop())
    const agents = new AgentSockets({
      ...base,
      logbook,
      hints,
      relayId,
      streamId: store.installation.streamId,
      recorder: new EventRecorder({ ...base, hints, outbox, onMoved }),
      throttle: new PairingThrottle(),
      onDispatched: dispatchMetrics(metrics.registry),
      heartbeatSeconds: config.HEARTBEAT_SECONDS,
      arrivalsAtOnce: Math.ceil(config.DATABASE_CONNECTIONS / 3),
    })
    ending.push(() => agents.close())
    agentMetrics(metrics.registry, agents)
    const periodic = startPeriodicWork({ url: store.url, log }, periodicWorks({ ...base, onMoved }, outbox))
    ending.push(() => periodic.stop())

    const live = new LiveEvents({ ...base, hints })
    ending.push(() => live.close())
    const auth = buildAuth({
      ...base,
      logbook,
      ...tokenRules(config),
      isLocal,
      version: VERSION,
      observeLogin: loginMetrics(metrics.registry),
      hasVirtualPhone: virtualPhone !== undefined,
      onPasswordChanged,
      allowInsecureHttp: config.ALLOW_INSECURE_HTTP,
    })
    const table = routes({
      ...base,
      auth,
      hints,
      live,
      streamId: store.installation.streamId,
      logbook,
      outbox,
      onAccepted,
      onMoved,
      rules: { defaultRegion: config.DEFAULT_REGION, maxSegments: config.MAX_SEGMENTS },
      queueLimit: config.QUEUE_MAX_PENDING,
      addressRules: webhookRules,
      health: [...processHealth(), databaseHealth(database), drainHealth(() => isDraining)],
      version: VERSION,
      virtualPhone,
      registry: metrics.registry,
      metricsToken: config.METRICS_TOKEN,
    })
    const serving = { ...base, ...auth, ...metrics, routes: table, checkAnswer, requestId: () => newId(random) }
    const metricsServer = await serveMetrics(serving)
    ending.push(() => metricsServer?.close())
    if (metricsServer) log.info({ url: metricsServer.url }, 'the metrics are there')
    const server = await serveRoutes(serving, agents, live)
    ending.push(() => server.close())

    return {
      url: server.url,
      acceptAgent: (socket, address) => agents.accept(socket, address),
      adoptBuiltInDevice: (device) => adoptBuiltInDevice(base, { username: config.ADMIN_USERNAME ?? '', ...device }),
      drain() {
        isDraining = true
        agents.drain(Math.min(config.DRAIN_SECONDS * 800, LONGEST_SPREAD_MS))
      },
      close() {
        // While the others end: it may take as long as the slowest receiver.
        void outbox.stop()
        return endAll(ending, log)
      },
    }
  } catch (error) {
    await endAll(ending, log)
    throw error
  }
}

/** Agents that leave are not served before they have found another relay. */
const LONGEST_SPREAD_MS = 20_000

/** What was begun last ends first. What cannot end well, as without a database, keeps nothing else from it. */
async function endAll(ending: (() => unknown)[], log: Log): Promise<void> {
  for (const end of ending.splice(0).reverse()) {
    try {
      await end()
    } catch (error) {
      log.warn({ err: error }, 'a part did not end well')
    }
  }
}

/** What every start makes sure of before anybody is served. */
async function prepare(parts: Omit<PeriodicParts, 'onMoved'>): Promise<void> {
  const { ADMIN_USERNAME: username, ADMIN_PASSWORD: password, ENROLMENT_TOKEN: token } = parts.config
  await rotateSigningKeys({ ...parts, longestTokenSeconds: longestToken(parts.config) })
  if (username === undefined || password === undefined) return
  const { accountId } = await ensureAccount(parts, { username, password })
  if (token !== undefined) await ensureEnrolmentToken(parts, { token, accountId })
}
