import type { Log } from '@smsgw/daemon/log/log'
import { VERSION } from '@smsgw/daemon/version'
import { ensureAccount } from './accounts/create-account.ts'
import { type AuthDeps, buildAuth } from './auth/auth.ts'
import { ensureEnrolmentToken } from './auth/enrolment-token.ts'
import { loginMetrics } from './auth/passwords/login-metrics.ts'
import { rotateSigningKeys } from './auth/tokens/rotate-signing-keys.ts'
import type { Clock } from './clock.ts'
import type { RelayConfig } from './config.ts'
import { adoptBuiltInDevice } from './devices/adopt-built-in-device.ts'
import { PairingThrottle } from './devices/pairing/redeem-pairing-code.ts'
import { replyToReceived } from './facades/twilio/reply-to-received.ts'
import { databaseHealth, drainHealth, type HealthSource, processHealth } from './health/health-sources.ts'
import { NatsHintBus } from './hints/nats-hint-bus.ts'
import { PostgresHintBus } from './hints/postgres-hint-bus.ts'
import { WakeHints } from './hints/wake-hints.ts'
import type { ServerParts } from './http/build-server.ts'
import { EventRecorder } from './ingest/event-recorder.ts'
import { ConnectedAgents } from './link/connected-agents.ts'
import { agentMetrics, dispatchMetrics } from './link/link-metrics.ts'
import { LiveEvents } from './live/live-events.ts'
import { makeLogPartitionsAtStart } from './logs/log-retention-statement.ts'
import { BufferedLogbook } from './logs/logbook.ts'
import { acceptRequests } from './messages/accept/accept-request.ts'
import { messageMetrics } from './messages/message-metrics.ts'
import { type Metrics, openMetrics } from './metrics/metrics.ts'
import { FcmAccess } from './mobile/fcm/fcm-access.ts'
import { type FcmCredentials, readFcmCredentials } from './mobile/fcm/fcm-credentials.ts'
import { FcmWorker } from './mobile/fcm/fcm-worker.ts'
import { PhoneStreams } from './mobile/streams/phone-streams.ts'
import { periodicJobs } from './periodic-jobs.ts'
import { type PushKeys, readPushKeys } from './push/push-keys.ts'
import { PushWorker } from './push/push-worker.ts'
import { newId, type Random, systemRandom } from './random.ts'
import { Replicas } from './replicas/replicas.ts'
import { routes } from './routes.ts'
import { serveMetrics, serveRoutes } from './serve-http.ts'
import { correctStoredTimes } from './store/clock/correct-stored-times-statement.ts'
import { DatabaseClock } from './store/clock/database-clock.ts'
import { behindStoredTimesMs, readDatabaseMs } from './store/clock/read-clock-statement.ts'
import { retryUntilAvailable } from './store/connection/wait-for-database.ts'
import { openRelayStore } from './store/open-store.ts'
import { polling } from './store/raw-statements.ts'
import { runPeriodicJobs } from './store/run-periodic-jobs.ts'
import { secretBox } from './store/secret-box.ts'
import { longestToken, tokenRules } from './token-rules.ts'
import type { VirtualPhone } from './virtual-phone/virtual-phone.ts'
import { type AddressRules, addressRules } from './webhooks/address-rules.ts'
import { GuardedClient } from './webhooks/delivery/client/guarded-client.ts'
import { deliveryMetrics } from './webhooks/delivery/delivery-metrics.ts'
import { DeliveryWorker } from './webhooks/delivery/delivery-worker.ts'

export interface RelayOptions {
  readonly config: RelayConfig
  readonly log: Log
  /** Local Server mode, for one machine. It has only Basic authentication and allows plain HTTP. */
  readonly isLocal?: boolean
  /** The phone of the virtual modem in the same process, if there is one. */
  readonly virtualPhone?: VirtualPhone | undefined
  /** Called after the commit of a password change. Must not throw. */
  readonly onPasswordChanged?: AuthDeps['onPasswordChanged']
  /** Other components of the process, which `/health` shows. */
  readonly components?: readonly HealthSource[]
  readonly clock?: Clock
  readonly random?: Random
  readonly checkAnswer?: ServerParts['checkAnswer']
  readonly push?: PushOptions | undefined
}

/** For tests. */
interface PushOptions {
  /** The interval in milliseconds at which the relay looks for stored notifications even if `wake` was not called. */
  readonly pollMs?: number | undefined
  /** The server that replaces FCM. */
  readonly fcmOrigin?: string | undefined
}

export interface Relay {
  /** Base URL of the HTTP server. */
  readonly url: string
  /** Connects an agent of this process without a WebSocket. */
  acceptAgent: ConnectedAgents['accept']
  /** Registers the agent of Local Server mode as a device and returns the device id. */
  adoptBuiltInDevice(device: { readonly publicKey: string; readonly name: string }): Promise<string>
  /** Makes `/health/ready` fail and sends the agents to other relays. Requests are still served. */
  drain(): void
  /** Finishes requests and deliveries in progress, then closes the database. */
  close(): Promise<void>
}

/** Starts a relay, which accepts requests when the promise resolves. */
export function startRelay(options: RelayOptions): Promise<Relay> {
  const { config, log } = options
  const waitMs = config.DATABASE_WAIT_SECONDS * 1000
  return retryUntilAvailable(() => startOnce(options), { waitMs, report: (line) => log.warn(line) })
}

async function startOnce(options: RelayOptions): Promise<Relay> {
  const { config, log } = options
  const cleanup = new Cleanup(log)
  try {
    const metrics = openMetrics()
    const { FCM_CREDENTIALS_FILE: file } = config
    const credentials = file === undefined ? undefined : readFcmCredentials(file)
    const core = await openCore(options, cleanup)
    await prepareDatabase(core)
    const keys = await readPushKeys(core.database, core.box)
    const features = startFeatures(core, keys, metrics, options, cleanup)
    if (credentials !== undefined) startFcm(core, { credentials, ...features.push }, options, cleanup)
    const drain = { isDraining: false }
    const url = await startServers(core, features, metrics, options, drain, cleanup)
    return {
      url,
      acceptAgent: (socket, address) => features.agents.accept(socket, address),
      adoptBuiltInDevice: (device) => adoptBuiltInDevice(core, { username: config.ADMIN_USERNAME ?? '', ...device }),
      drain() {
        drain.isDraining = true
        features.agents.drain(config.DRAIN_SECONDS * 800)
      },
      close() {
        // Stops the outbox first, because this may take as long as the slowest webhook receiver.
        void features.outbox.stop()
        return cleanup.run()
      },
    }
  } catch (error) {
    await cleanup.run()
    throw error
  }
}

type Core = Awaited<ReturnType<typeof openCore>>

/**
 * Opens the database and creates the parts that every feature uses: clock, random source, encryption, hints and
 * logbook.
 */
async function openCore({ config, log, clock, random = systemRandom }: RelayOptions, cleanup: Cleanup) {
  const box = secretBox(config.SERVER_SECRET, random)
  const { url, database, disk, installation, close } = await openRelayStore({ config, box, random, log })
  cleanup.add(close)
  const readMs = () => readDatabaseMs(polling(database, { isFirst: true }))
  const databaseClock = await DatabaseClock.start({ readMs, monotonicMs: () => performance.now(), log })
  cleanup.add(() => databaseClock.stop())
  const behindMs = await behindStoredTimesMs(database)
  if (clock === undefined && behindMs > 0) await correctStoredTimes(database, behindMs)

  const base = { config, log, clock: clock ?? databaseClock, random, box, database }
  const logbook = new BufferedLogbook(base)
  cleanup.add(() => logbook.drain())
  const relayId = newId(random)
  const { streamId } = installation
  const databaseHints = new PostgresHintBus({ url, relayId, log })
  const { HINTS_URL: natsUrl } = config
  const bus =
    natsUrl === undefined
      ? databaseHints
      : new NatsHintBus({ url: natsUrl, streamId, relayId, log, fallback: databaseHints })
  const hints = new WakeHints(bus)
  cleanup.add(() => hints.close())
  return { ...base, disk, databaseClock, logbook, hints, url, relayId, streamId }
}

/**
 * Creates the signing key, partitions of the next days, the first account and its enrolment token when they do not
 * exist.
 */
async function prepareDatabase(core: Core): Promise<void> {
  const { ADMIN_USERNAME: username, ADMIN_PASSWORD: password, ENROLMENT_TOKEN: token } = core.config
  await rotateSigningKeys({ ...core, longestTokenSeconds: longestToken(core.config) })
  await makeLogPartitionsAtStart({ ...core, now: core.clock.now() })
  if (username === undefined || password === undefined) return
  const accountId = await ensureAccount(core, { username, password })
  if (token !== undefined) await ensureEnrolmentToken(core, { token, accountId })
}

type Features = ReturnType<typeof startFeatures>

/** Starts the parts that run without requests: webhook delivery, connected agents, periodic jobs and live events. */
function startFeatures(
  core: Core,
  keys: PushKeys,
  { registry }: Metrics,
  { isLocal = false, push: { pollMs } = {} }: RelayOptions,
  cleanup: Cleanup,
) {
  const { config, database, databaseClock } = core
  const { onAccepted, onMoved } = messageMetrics(registry, database)
  const webhookRules = addressRules({
    allowHttp: config.WEBHOOK_ALLOW_HTTP,
    allowNetworks: config.WEBHOOK_ALLOW_CIDRS,
    publicUrl: config.PUBLIC_URL,
    localServerMode: isLocal,
  })
  const rules = { defaultRegion: config.DEFAULT_REGION, maxSegments: config.MAX_SEGMENTS }
  const accept = acceptRequests({
    ...core,
    rules,
    queueLimit: config.QUEUE_MAX_PENDING,
    mayMixEmulated: config.MIX_EMULATED_MODEMS,
    claimAlong: (deviceId, isUrgent) => agents.claimAlong(deviceId, isUrgent),
    onAccepted,
  })
  const webhooks = new DeliveryWorker({
    ...core,
    client: new GuardedClient(webhookRules),
    publicUrl: config.PUBLIC_URL,
    reply: replyToReceived({ ...core, accept }),
    observe: deliveryMetrics(registry, database),
  })
  cleanup.add(() => webhooks.stop())
  const push = startPush(core, { keys, pollMs }, cleanup)
  const outbox = {
    wake() {
      webhooks.wake()
      push.worker.wake()
    },
    stop: () => Promise.all([webhooks.stop(), push.worker.stop()]),
  }
  const throttle = new PairingThrottle()
  const agents = new ConnectedAgents({
    store: core,
    relay: {
      ...core,
      workerNumber: () => webhooks.number,
      heartbeatSeconds: config.HEARTBEAT_SECONDS,
      forgetAfterSeconds: forgetAfter(config),
      mayMixEmulated: config.MIX_EMULATED_MODEMS,
    },
    pairing: { ...core, throttle },
    recorder: new EventRecorder({ ...core, outbox, worker: webhooks, onMoved }),
    onDispatched: dispatchMetrics(registry),
    arrivalsAtOnce: Math.ceil(config.DATABASE_CONNECTIONS / 3),
  })
  cleanup.add(() => agents.close())
  agentMetrics(registry, agents)
  const phones = new PhoneStreams(core)
  cleanup.add(() => phones.close())
  databaseClock.onJump = async (byMs) => {
    agents.clockChanged()
    outbox.wake()
    if (byMs >= 0) return
    await correctStoredTimes(database, -byMs)
    // Checks for due commands, because the corrected times may make some commands due.
    agents.clockChanged()
    outbox.wake()
  }
  const jobs = runPeriodicJobs(core, periodicJobs({ ...core, onMoved, outbox }))
  cleanup.add(() => jobs.stop())
  const live = new LiveEvents(core)
  cleanup.add(() => live.close())
  return { outbox, push, agents, phones, throttle, live, webhookRules, accept, rules, onMoved }
}

/** Starts the sending of notifications to browsers. Push services use HTTPS, even in Local Server mode. */
function startPush(core: Core, { keys, pollMs }: { keys: PushKeys; pollMs: number | undefined }, cleanup: Cleanup) {
  const { PUBLIC_URL: publicUrl, PUSH_CONTACT: contact, WEBHOOK_ALLOW_CIDRS: allowNetworks } = core.config
  const pushRules = addressRules({ allowHttp: false, allowNetworks, publicUrl, localServerMode: false })
  const sending = {
    keys,
    contact: contact ?? (publicUrl?.startsWith('https:') ? publicUrl : NO_CONTACT),
    client: new GuardedClient(pushRules),
  }
  const worker = new PushWorker({ ...core, ...sending, pollMs })
  cleanup.add(() => worker.stop())
  return { ...sending, pushRules, worker }
}

/** Starts to send notices to phones with FCM, if the operator has a key. */
function startFcm(
  core: Core,
  { credentials, pushRules }: { readonly credentials: FcmCredentials; readonly pushRules: AddressRules },
  { push: { pollMs, fcmOrigin: origin = 'https://fcm.googleapis.com' } = {} }: RelayOptions,
  cleanup: Cleanup,
): void {
  const client = new GuardedClient(pushRules)
  const access = new FcmAccess({ ...core, credentials, client })
  const worker = new FcmWorker({ ...core, access, client, origin, pollMs, projectId: credentials.projectId })
  cleanup.add(() => worker.stop())
}

/**
 * The contact if the relay has no public address. No mailbox has this address, but some push services require a
 * contact.
 */
const NO_CONTACT = 'mailto:operator@localhost'

/** Starts the HTTP server, and the metrics server if it has a separate port. Returns the URL of the HTTP server. */
async function startServers(
  core: Core,
  { outbox, push, agents, phones, throttle, live, webhookRules, accept, rules, onMoved }: Features,
  metrics: Metrics,
  { isLocal = false, virtualPhone, components = [], onPasswordChanged, checkAnswer }: RelayOptions,
  drain: { readonly isDraining: boolean },
  cleanup: Cleanup,
): Promise<string> {
  const { config, log, random, database, disk } = core
  const { DATABASE_REPLICA_URL: replicaUrl, DATABASE_CONNECTIONS: connections } = config
  const replicas = new Replicas({ ...core, ...metrics, url: replicaUrl, connections })
  cleanup.add(() => replicas.close())
  const auth = buildAuth({
    core,
    tokens: tokenRules(config),
    isLocal,
    version: VERSION,
    observeLogin: loginMetrics(metrics.registry),
    hasVirtualPhone: virtualPhone !== undefined,
    onPasswordChanged,
    allowInsecureHttp: config.ALLOW_INSECURE_HTTP,
  })
  const table = routes({
    core: { ...core, replicas, outbox, onMoved },
    auth,
    live,
    messages: { accept, rules },
    webhooks: { addressRules: webhookRules, publicUrl: config.PUBLIC_URL },
    push,
    virtualPhone,
    phones: { streams: phones, throttle, maxPhones: config.MAX_PHONES },
    service: {
      health: [
        ...processHealth(),
        databaseHealth(database),
        disk.health(),
        drainHealth(() => drain.isDraining),
        ...components,
      ],
      version: VERSION,
      metrics: { registry: metrics.registry, token: config.METRICS_TOKEN },
    },
  })
  const serving = {
    ...core,
    ...auth,
    ...metrics,
    routes: table,
    checkAnswer,
    requestId: () => newId(random),
    databaseProblem: () => disk.problem(),
  }
  const metricsServer = await serveMetrics(serving)
  cleanup.add(() => metricsServer?.close())
  if (metricsServer) log.info({ url: metricsServer.url }, 'metrics server listening')
  const server = await serveRoutes(serving, agents, { live, phones, box: core.box })
  cleanup.add(() => server.close())
  return server.url
}

/** Runs steps in reverse order. If a step fails, the remaining steps still run. */
class Cleanup {
  readonly #log: Log
  readonly #steps: (() => unknown)[] = []

  constructor(log: Log) {
    this.#log = log
  }

  add(step: () => unknown): void {
    this.#steps.push(step)
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        await step()
      } catch (error) {
        this.#log.warn({ err: error }, 'shutdown step failed, continuing with the next')
      }
    }
  }
}

/** Returns how long agents keep the content of received messages, which is at most as long as the relay keeps it. */
function forgetAfter({ HASH_AFTER_SECONDS, DELETE_RECEIVED_AFTER_SECONDS }: RelayConfig): number | undefined {
  const limits = [HASH_AFTER_SECONDS, DELETE_RECEIVED_AFTER_SECONDS].filter((seconds) => seconds !== undefined)
  return limits.length === 0 ? undefined : Math.min(...limits)
}
