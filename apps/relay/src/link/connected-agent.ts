import { setTimeout as setTimeoutPromise } from 'node:timers/promises'
import type { RelayFailureCode } from '@smsgw/contract/failure-code'
import { closeCodes } from '@smsgw/contract/link/close-code'
import { capabilities, type Hello } from '@smsgw/contract/link/frame'
import type { WaitingReport } from '@smsgw/contract/link/waiting-report'
import { crashPoint } from '@smsgw/daemon/crash-point'
import { nextRelay } from '@smsgw/link/relay/session'
import {
  newConnection,
  type RelayEffect,
  type RelayInput,
  type RelayState,
  type RelayTimer,
} from '@smsgw/link/relay/state'
import type { Clock } from '../clock.ts'
import type { RedeemPairingCodeDeps } from '../devices/redeem-pairing-code.ts'
import type { WakeHints } from '../hints/wake-hints.ts'
import type { EventRecorder } from '../ingest/event-recorder.ts'
import { addressBlock } from '../limits/address-block.ts'
import { type FairQueue, URGENT } from '../limits/fair-queue.ts'
import { advanceMessages } from '../messages/progress/advance-messages.ts'
import { type AccountSettings, readSettings } from '../settings/read-settings.ts'
import { recordWaiting } from '../waiting/record-waiting.ts'
import { admitAgent, authenticateAgent, REVOKED } from './admit-agent.ts'
import type { AgentConnection } from './claim/agent-connection.ts'
import type { ConnectionCloser } from './claim/connection-closer.ts'
import { LEASE_MS } from './claim/lease.ts'
import { openConnection } from './claim/open-connection.ts'
import { claimCommands } from './dispatch/claim-commands-statement.ts'
import { readUnacknowledgedCommands } from './dispatch/read-unacknowledged-statement.ts'
import { recordTelemetry } from './record-telemetry-statement.ts'

/** The transport of an agent's connection: a WebSocket, or a pair of functions in one process. */
export interface AgentSocket {
  send(text: string): void
  close(code: number, reason: string): void
}

export interface ConnectedAgentDeps extends RedeemPairingCodeDeps {
  readonly clock: Clock
  readonly hints: WakeHints
  readonly recorder: EventRecorder
  readonly closer: ConnectionCloser
  /** Connections that wait for admission, by address. */
  readonly arrivals: FairQueue
  readonly log: { warn(details: object, message: string): void; error(details: object, message: string): void }
  readonly relayId: string
  readonly streamId: string
  readonly heartbeatSeconds: number
  /**
   * Agents delete message content after that time, too. Undefined: they keep it for a relay that is restored from a
   * backup.
   */
  readonly hashAfterSeconds?: number | undefined
  /** Called with the seconds that a dispatched send had been due. */
  readonly onDispatched?: (sinceDueSeconds: number) => void
}

export interface ConnectionListener {
  readonly onOpen: (session: ConnectedAgent) => void
  readonly onOver: (session: ConnectedAgent) => void
}

/**
 * The relay's end of the link to one agent. Feeds the session machine with input from socket, database and clock, and
 * runs its effects.
 */
export class ConnectedAgent {
  readonly #deps: ConnectedAgentDeps
  readonly #socket: AgentSocket
  readonly #address: string
  readonly #listener: ConnectionListener
  readonly #timers = new Map<RelayTimer, NodeJS.Timeout>()
  readonly #pending: RelayInput[] = []
  #state: RelayState
  #isStepping = false
  #isOver = false
  #connection: AgentConnection | undefined
  #settingsVersion = 0
  /** What was sent last. Undefined before the first settings. */
  #settings: ReturnType<typeof agentsPart> | undefined
  #telemetryAtMs = 0
  #waiting: WaitingReport | undefined

  constructor(
    deps: ConnectedAgentDeps,
    { socket, address, nonce }: { readonly socket: AgentSocket; readonly address: string; readonly nonce: string },
    listener: ConnectionListener,
  ) {
    const { relayId, heartbeatSeconds } = deps
    this.#deps = deps
    this.#socket = socket
    this.#address = address
    this.#listener = listener
    this.#state = newConnection({ relayId, nonce, heartbeatSeconds })
  }

  /** Undefined until the agent is authenticated and this is the connection of its device. */
  get connection(): AgentConnection | undefined {
    return this.#connection
  }

  /** Version of the settings that were sent last. */
  get settingsVersion(): number {
    return this.#settingsVersion
  }

  /** Sends the relay's time after its clock was set. The agent may rely on this clock. */
  sendTime(): void {
    const serverTime = this.#deps.clock.now().toISOString()
    if (this.#settings) this.step({ kind: 'settings-changed', settings: this.#settings, serverTime })
  }

  sendSettings({ version, settings }: Pick<AccountSettings, 'version' | 'settings'>): void {
    if (version <= this.#settingsVersion) return
    this.#settingsVersion = version
    this.#settings = agentsPart(settings, this.#deps.hashAfterSeconds)
    this.step({ kind: 'settings-changed', settings: this.#settings })
  }

  /** Processes inputs one after the other. An input that an effect creates immediately is processed after it. */
  step(input: RelayInput): void {
    this.#pending.push(input)
    if (this.#isStepping) return
    this.#isStepping = true
    try {
      for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
        const { state, effects } = nextRelay(this.#state, next)
        this.#state = state
        for (const effect of effects) this.#do(effect)
      }
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#isStepping = false
    }
    if (this.#state.phase.kind === 'closed') this.#end()
  }

  /** Ends this connection after an internal error. Other connections are not affected. */
  #fail(error: unknown): void {
    this.#deps.log.error({ err: error }, 'agent connection closed after an internal error')
    this.#pending.length = 0
    this.#state = { ...this.#state, phase: { kind: 'closed', connEpoch: this.#connection?.connEpoch } }
    if (this.#connection !== undefined) this.#deps.closer.add(this.#connection)
    const { code } = closeCodes.unavailable
    this.#socket.close(code, 'internal error of the relay: see its log')
  }

  #do(effect: RelayEffect): void {
    switch (effect.kind) {
      case 'send':
        this.#socket.send(effect.text)
        if (effect.text.startsWith('{"type":"command"')) crashPoint('command-sent')
        if (effect.text.startsWith('{"type":"stored"')) crashPoint('events-acknowledged')
        break
      case 'close':
        this.#socket.close(effect.code, effect.reason)
        break
      case 'set-timer': {
        const { timer, fromMs, toMs } = effect
        clearTimeout(this.#timers.get(timer))
        const waiting = setTimeout(() => this.step({ kind: 'timer', timer }), fromMs + (toMs - fromMs) * Math.random())
        this.#timers.set(timer, waiting)
        break
      }
      case 'cancel-timer':
        clearTimeout(this.#timers.get(effect.timer))
        break
      case 'close-connection':
        if (this.#connection !== undefined) this.#deps.closer.add(this.#connection)
        break
      case 'commands-taken':
        // The agent also reports stored commands by events.
        crashPoint('commands-taken')
        break
      default:
        this.#ask(effect)
    }
  }

  /** Runs a database effect. Its result, or its failure, becomes an input. */
  #ask(effect: DatabaseEffect): void {
    this.#runInTurn(effect).then(
      (input) => input && this.step(input),
      (error) => {
        this.#deps.log.warn({ err: error, effect: effect.kind }, 'agent request delayed: database unavailable')
        const failure = failureOf(effect)
        if (failure !== undefined) this.step(failure)
      },
    )
  }

  /**
   * When a relay stops, thousands of agents reconnect here at once. Only a few are admitted at a time, those closest to
   * completion first, so that neither they nor the connected agents time out.
   */
  async #runInTurn(effect: DatabaseEffect): Promise<RelayInput | undefined> {
    const isResume = effect.kind === 'claim-commands' && effect.isResume
    if (!isResume && effect.kind !== 'pair' && effect.kind !== 'authenticate' && effect.kind !== 'open-connection') {
      return this.#answer(effect)
    }
    const group = effect.kind === 'open-connection' ? URGENT : addressBlock(this.#address)
    const turn = this.#deps.arrivals.run(group, async () => ({
      // The agent may have disconnected in the meantime.
      input: this.#isOver ? undefined : await this.#answer(effect),
    }))
    return (await turn)?.input ?? failureOf(effect)
  }

  async #answer(effect: DatabaseEffect): Promise<RelayInput | undefined> {
    const { database, clock } = this.#deps
    switch (effect.kind) {
      case 'pair': {
        const admission = await admitAgent(this.#deps, { ...effect, address: this.#address })
        if (admission.ok) return { kind: 'paired', deviceId: admission.deviceId }
        const { reason } = admission
        return admission.isForNow
          ? { kind: 'refused', why: 'unavailable', reason }
          : { kind: 'pairing-refused', reason }
      }
      case 'authenticate':
        return authenticateAgent(database, effect)
      case 'open-connection':
        return this.#open(effect.hello)
      case 'store-events':
        return this.#store(effect)
      case 'claim-commands': {
        const connection = this.#known()
        const commands = effect.isResume
          ? await readUnacknowledgedCommands(database, connection, clock.now())
          : await claimCommands(database, connection, effect.room, clock.now(), this.#deps.onDispatched)
        if (commands.length > 0) crashPoint('commands-claimed')
        return { kind: 'commands-claimed', commands }
      }
      case 'command-too-large': {
        const { deviceId, accountId } = this.#known()
        const reason = 'the message is too large for the link: split it into smaller messages'
        const input = { kind: 'failed', at: clock.now(), code: 'too_large' satisfies RelayFailureCode, reason } as const
        const updates = [{ accountId, deviceId, cmdId: effect.command.cmdId, input }]
        await database.$transaction((statements) => advanceMessages(statements, updates, clock.now()))
        return undefined
      }
      case 'take-telemetry':
        await this.#takeTelemetry(effect.sample)
        return undefined
      case 'take-waiting':
        await this.#takeWaiting(effect.report)
        return undefined
      case 'report-duplicate': {
        const { accountId, deviceId } = this.#known()
        const message = 'two agents use the identity of this device and one of them has stopped: pair one of them again'
        this.#deps.logbook.write({ accountId, deviceId, module: 'agents', priority: 'ERROR', message })
        return undefined
      }
      case 'renew-lease':
        // All connections of this process renew their leases together: see ConnectedAgents.
        return undefined
    }
  }

  async #open(hello: Hello): Promise<RelayInput> {
    const { database, clock, hints, relayId, streamId } = this.#deps
    const { deviceId, journal, bootId, agentVersion, sims } = hello
    const known = capabilities.filter((name) => hello.capabilities.includes(name))
    const device = await database.device.findUnique({
      where: { id: deviceId },
      select: { accountId: true, deletedAt: true },
    })
    if (device === null || device.deletedAt !== null) return REVOKED
    const { accountId } = device
    const opened = await openConnection(
      database,
      { accountId, deviceId, journalId: journal.id, bootId, agentVersion, capabilities: known, sims },
      { relayId, leaseMs: LEASE_MS, now: clock.now() },
    )
    if (opened === undefined) return REVOKED
    crashPoint('connection-opened')
    this.#connection = opened.connection
    const { connEpoch } = opened.connection
    if (opened.displacedRelayId !== undefined) hints.superseded(deviceId, connEpoch, bootId)
    // Registered before the settings are read, so that a later change is pushed to this agent.
    if (!this.#isOver) this.#listener.onOpen(this)
    const { version, settings } = await readSettings(database, accountId)
    this.#settingsVersion = Math.max(version, this.#settingsVersion)
    this.#settings = agentsPart(settings, this.#deps.hashAfterSeconds)
    return {
      kind: 'connection-opened',
      opened: {
        connEpoch,
        streamId,
        mark: opened.mark,
        markTag: opened.markTag,
        previousBootId: opened.previousBootId,
        isRetired: opened.isRetired,
        serverTime: clock.now().toISOString(),
        settings: this.#settings,
      },
    }
  }

  async #store({ batch }: RelayEffect & { kind: 'store-events' }): Promise<RelayInput> {
    crashPoint('events-arrived')
    const result = await this.#deps.recorder.record({ connection: this.#known(), ...batch })
    crashPoint('events-committed')
    switch (result.kind) {
      case 'stored':
        return { kind: 'events-stored', mark: result.mark }
      case 'gap':
        return { kind: 'mark-behind', mark: result.mark }
      case 'fenced':
        return { kind: 'fenced' }
    }
  }

  /** Samples are kept for days, so they are limited in size and frequency. */
  async #takeTelemetry(sample: Readonly<Record<string, unknown>>): Promise<void> {
    const { database, clock } = this.#deps
    const now = clock.now()
    if (now.getTime() - this.#telemetryAtMs < TELEMETRY_MS || JSON.stringify(sample).length > LONGEST_SAMPLE) return
    this.#telemetryAtMs = now.getTime()
    await recordTelemetry(database, this.#known(), sample, { now, historyMs: TELEMETRY_KEPT_MS })
  }

  /** Retries until the newest report is stored: an older one would keep showing a reason that has passed. */
  async #takeWaiting(report: WaitingReport): Promise<void> {
    const isStoring = this.#waiting !== undefined
    this.#waiting = report
    if (isStoring) return
    for (let stored: WaitingReport | undefined; stored !== this.#waiting && !this.#isOver; ) {
      const newest = this.#waiting
      try {
        await recordWaiting(this.#deps.database, this.#known(), newest, this.#deps.clock.now())
        stored = newest
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'waiting reasons not stored, retrying')
        await setTimeoutPromise(WAITING_RETRY_MS)
      }
    }
    this.#waiting = undefined
  }

  #known(): AgentConnection {
    if (this.#connection === undefined) throw new Error('this connection is not authenticated yet')
    return this.#connection
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#listener.onOver(this)
  }
}

/** The settings that an agent needs: no webhooks and no secrets. */
function agentsPart(
  settings: Readonly<Record<string, unknown>>,
  hashAfterSeconds: number | undefined,
): Readonly<Record<string, unknown>> {
  const privacy = { forget_after_seconds: hashAfterSeconds }
  return { messages: settings['messages'], ping: settings['ping'], ...(hashAfterSeconds !== undefined && { privacy }) }
}

type DatabaseEffect = Exclude<
  RelayEffect,
  { kind: 'send' | 'close' | 'set-timer' | 'cancel-timer' | 'close-connection' | 'commands-taken' }
>

const TELEMETRY_MS = 15_000
const WAITING_RETRY_MS = 1_000
const LONGEST_SAMPLE = 16_384
const TELEMETRY_KEPT_MS = 7 * 86_400_000

function failureOf(effect: DatabaseEffect): RelayInput | undefined {
  switch (effect.kind) {
    case 'pair':
    case 'authenticate':
    case 'open-connection':
      return { kind: 'refused', why: 'unavailable', reason: 'the relay cannot admit the agent now: try again' }
    case 'store-events':
      return { kind: 'store-failed' }
    case 'claim-commands':
      return { kind: 'claim-failed' }
    default:
      return undefined
  }
}
