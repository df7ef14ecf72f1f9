import { closeCodes } from '@smsgw/contract/link/close-code'
import type { Hello } from '@smsgw/contract/link/frame'
import { nextRelay } from '@smsgw/link/relay-session'
import {
  newConnection,
  type RelayEffect,
  type RelayInput,
  type RelayState,
  type RelayTimer,
} from '@smsgw/link/relay-state'
import type { Clock } from '../clock.ts'
import { crashPoint } from '../crash-point.ts'
import type { RedeemPairingCodeNeeds } from '../devices/redeem-pairing-code.ts'
import { addressBlock } from '../limits/address-block.ts'
import { type FairQueue, URGENT } from '../limits/fair-queue.ts'
import { advanceMessages } from '../messages/advance-messages.ts'
import { type AccountSettings, readSettings } from '../settings/read-settings.ts'
import { admitAgent } from './admit-agent.ts'
import type { AgentConnection } from './agent-connection.ts'
import { isSignedBy } from './agent-key.ts'
import { claimCommands } from './claim-commands.ts'
import type { Departures } from './departures.ts'
import type { EventRecorder } from './event-recorder.ts'
import { openConnection } from './open-connection.ts'
import { recordTelemetry } from './record-telemetry.ts'
import { unacknowledgedCommands } from './unacknowledged-commands.ts'
import type { WakeHints } from './wake-hints.ts'

/** What an agent's connection runs over: a WebSocket, or a pair of functions in one process. */
export interface AgentSocket {
  send(text: string): void
  close(code: number, reason: string): void
}

export interface AgentSessionNeeds extends RedeemPairingCodeNeeds {
  readonly clock: Clock
  readonly hints: WakeHints
  readonly recorder: EventRecorder
  readonly departures: Departures
  /** Who waits to be let in, by address. */
  readonly arrivals: FairQueue
  readonly log: { warn(details: object, message: string): void; error(details: object, message: string): void }
  readonly relayId: string
  readonly streamId: string
  readonly heartbeatSeconds: number
  /** Of each send that a device is given: how long it had been due. */
  readonly onDispatched?: (sinceDueSeconds: number) => void
}

export interface SessionListener {
  /** It is the device's connection now. */
  readonly onOpen: (session: AgentSession) => void
  readonly onOver: (session: AgentSession) => void
}

/**
 * Runs the relay's end of one link: gives the session machine what happens on the socket, in the database and by the
 * clock, and does what it says.
 */
export class AgentSession {
  readonly #needs: AgentSessionNeeds
  readonly #socket: AgentSocket
  readonly #address: string
  readonly #listener: SessionListener
  readonly #timers = new Map<RelayTimer, NodeJS.Timeout>()
  readonly #pending: RelayInput[] = []
  #state: RelayState
  #isStepping = false
  #isOver = false
  #connection: AgentConnection | undefined
  #settingsVersion = 0
  #telemetryAtMs = 0

  constructor(
    needs: AgentSessionNeeds,
    { socket, address, nonce }: { readonly socket: AgentSocket; readonly address: string; readonly nonce: string },
    listener: SessionListener,
  ) {
    const { relayId, heartbeatSeconds } = needs
    this.#needs = needs
    this.#socket = socket
    this.#address = address
    this.#listener = listener
    this.#state = newConnection({ relayId, nonce, heartbeatSeconds })
  }

  /** Undefined until the device is known and this is its connection. */
  get connection(): AgentConnection | undefined {
    return this.#connection
  }

  /** Of the settings that the agent was told last. */
  get settingsVersion(): number {
    return this.#settingsVersion
  }

  tellSettings({ version, settings }: Pick<AccountSettings, 'version' | 'settings'>): void {
    if (version <= this.#settingsVersion) return
    this.#settingsVersion = version
    this.step({ kind: 'settings-changed', settings: agentsPart(settings) })
  }

  /** One input after the other: what an effect brings about at once comes behind it. */
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
    if (this.#state.phase.kind === 'over') this.#end()
  }

  /** A fault of ours, whoever brought it about: it costs this connection, and nobody else's. */
  #fail(error: unknown): void {
    this.#needs.log.error({ err: error }, 'a connection of an agent failed')
    this.#pending.length = 0
    this.#state = { ...this.#state, phase: { kind: 'over', connEpoch: this.#connection?.connEpoch } }
    if (this.#connection !== undefined) this.#needs.departures.add(this.#connection)
    const { code } = closeCodes.unavailable
    this.#socket.close(code, 'the relay failed: its log tells why')
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
        if (this.#connection !== undefined) this.#needs.departures.add(this.#connection)
        break
      case 'commands-taken':
        // What the agent has on disk it tells by events as well.
        crashPoint('commands-taken')
        break
      default:
        this.#ask(effect)
    }
  }

  /** What the database is asked; its answer comes as an input, and so does its absence. */
  #ask(effect: Asking): void {
    this.#whenItsTurn(effect).then(
      (input) => input && this.step(input),
      (error) => {
        this.#needs.log.warn({ err: error, effect: effect.kind }, 'an agent has to wait for the database')
        const failure = failureOf(effect)
        if (failure !== undefined) this.step(failure)
      },
    )
  }

  /**
   * Thousands of agents that lost one relay arrive here at once: a few at a time are let in, those that are nearly in
   * first, so that neither they nor those that are here already wait until their time is over.
   */
  async #whenItsTurn(effect: Asking): Promise<RelayInput | undefined> {
    const isResume = effect.kind === 'claim-commands' && effect.isResume
    if (!isResume && effect.kind !== 'pair' && effect.kind !== 'authenticate' && effect.kind !== 'open-connection') {
      return this.#answer(effect)
    }
    const group = effect.kind === 'open-connection' ? URGENT : addressBlock(this.#address)
    const turn = this.#needs.arrivals.run(group, async () => ({
      // It may have given up meanwhile.
      input: this.#isOver ? undefined : await this.#answer(effect),
    }))
    return (await turn)?.input ?? failureOf(effect)
  }

  async #answer(effect: Asking): Promise<RelayInput | undefined> {
    const { database, clock } = this.#needs
    switch (effect.kind) {
      case 'pair': {
        const admission = await admitAgent(this.#needs, { ...effect, address: this.#address })
        if (admission.ok) return { kind: 'paired', deviceId: admission.deviceId }
        const { reason } = admission
        return admission.isForNow
          ? { kind: 'refused', why: 'unavailable', reason }
          : { kind: 'pairing-refused', reason }
      }
      case 'authenticate':
        return this.#authenticate(effect)
      case 'open-connection':
        return this.#open(effect.hello)
      case 'store-events':
        return this.#store(effect)
      case 'claim-commands': {
        const connection = this.#known()
        const commands = effect.isResume
          ? await unacknowledgedCommands(database, connection, clock.now())
          : await claimCommands(database, connection, effect.room, clock.now(), this.#needs.onDispatched)
        if (commands.length > 0) crashPoint('commands-claimed')
        return { kind: 'commands-claimed', commands }
      }
      case 'command-too-large': {
        const { deviceId, accountId } = this.#known()
        const reason = 'the message is too large for the link: send it in pieces'
        const input = { kind: 'failed', at: clock.now(), code: 'too_large', reason } as const
        const news = [{ accountId, deviceId, cmdId: effect.command.cmdId, input }]
        await database.$transaction((statements) => advanceMessages(statements, news, clock.now()))
        return undefined
      }
      case 'take-telemetry':
        await this.#takeTelemetry(effect.sample)
        return undefined
      case 'report-clones': {
        const { accountId, deviceId } = this.#known()
        const message = 'two agents use the identity of this device, and one has stopped: pair one of them anew'
        this.#needs.logbook.write({ accountId, deviceId, module: 'agents', priority: 'ERROR', message })
        return undefined
      }
      case 'renew-lease':
        // All connections of this process renew theirs together: see AgentSockets.
        return undefined
    }
  }

  async #authenticate({ deviceId, text, signature }: RelayEffect & { kind: 'authenticate' }): Promise<RelayInput> {
    const device = await this.#needs.database.device.findUnique({
      where: { id: deviceId },
      select: { publicKey: true, deletedAt: true },
    })
    // Its key is forgotten with it; the id alone tells that somebody has a right to know.
    if (device !== null && device.deletedAt !== null) return revoked
    // Whoever cannot sign is not told whether there is such a device.
    if (!device?.publicKey || !isSignedBy(device.publicKey, text, signature)) {
      return { kind: 'refused', why: 'unauthenticated', reason: 'no device of this relay has this key: pair it anew' }
    }
    return { kind: 'authenticated' }
  }

  async #open(hello: Hello): Promise<RelayInput> {
    const { database, clock, hints, relayId, streamId } = this.#needs
    const { deviceId, journal, bootId, agentVersion, sims } = hello
    const device = await database.device.findUnique({
      where: { id: deviceId },
      select: { accountId: true, deletedAt: true },
    })
    if (device === null || device.deletedAt !== null) return revoked
    const { accountId } = device
    const opened = await openConnection(
      database,
      { accountId, deviceId, journalId: journal.id, bootId, agentVersion, sims },
      { relayId, leaseMs: LEASE_MS, now: clock.now() },
    )
    if (opened === undefined) return revoked
    crashPoint('connection-opened')
    this.#connection = opened.connection
    const { connEpoch } = opened.connection
    if (opened.displacedRelayId !== undefined) hints.superseded(deviceId, connEpoch, bootId)
    // Before the settings are read: of a change that comes later it hears.
    if (!this.#isOver) this.#listener.onOpen(this)
    const { version, settings } = await readSettings(database, accountId)
    this.#settingsVersion = Math.max(version, this.#settingsVersion)
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
        settings: agentsPart(settings),
      },
    }
  }

  async #store({ batch }: RelayEffect & { kind: 'store-events' }): Promise<RelayInput> {
    crashPoint('events-arrived')
    const result = await this.#needs.recorder.record({ connection: this.#known(), ...batch })
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

  /** It is kept for days: an agent that tells too much of it is not heard. */
  async #takeTelemetry(sample: Readonly<Record<string, unknown>>): Promise<void> {
    const { database, clock } = this.#needs
    const now = clock.now()
    if (now.getTime() - this.#telemetryAtMs < TELEMETRY_MS || JSON.stringify(sample).length > LONGEST_SAMPLE) return
    this.#telemetryAtMs = now.getTime()
    await recordTelemetry(database, this.#known(), sample, { now, historyMs: TELEMETRY_KEPT_MS })
  }

  #known(): AgentConnection {
    if (this.#connection === undefined) throw new Error('this connection has no device yet')
    return this.#connection
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#listener.onOver(this)
  }
}

/** What of an account's settings an agent needs; nothing of webhooks, nothing secret. */
function agentsPart(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { messages: settings['messages'], ping: settings['ping'] }
}

type Asking = Exclude<
  RelayEffect,
  { kind: 'send' | 'close' | 'set-timer' | 'cancel-timer' | 'close-connection' | 'commands-taken' }
>

/** Three heartbeats of 20 s. */
export const LEASE_MS = 60_000
const TELEMETRY_MS = 15_000
const LONGEST_SAMPLE = 16_384
const TELEMETRY_KEPT_MS = 7 * 86_400_000
const revoked: RelayInput = { kind: 'refused', why: 'revoked', reason: 'this device was deleted: pair the agent anew' }

function failureOf(effect: Asking): RelayInput | undefined {
  switch (effect.kind) {
    case 'pair':
    case 'authenticate':
    case 'open-connection':
      return { kind: 'refused', why: 'unavailable', reason: 'the relay cannot let it in now' }
    case 'store-events':
      return { kind: 'store-failed' }
    case 'claim-commands':
      return { kind: 'claim-failed' }
    default:
      return undefined
  }
}
