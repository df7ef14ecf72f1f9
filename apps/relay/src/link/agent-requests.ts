// Inbound path, step 7: receives the event and acknowledges it after the commit. Next: event-recorder.ts.

import type { Command } from '@smsgw/contract/link/command'
import { capabilities, type Hello } from '@smsgw/contract/link/frame'
import type { RelayFailureCode } from '@smsgw/contract/messages/failure-code'
import type { Settings } from '@smsgw/contract/relay/settings'
import { crashPoint } from '@smsgw/daemon/crash-point'
import type { RelayEffect, RelayInput } from '@smsgw/link/relay/state'
import type { CoreDeps } from '../core-deps.ts'
import { openPin } from '../devices/control-modem.ts'
import type { RedeemPairingCodeDeps } from '../devices/pairing/redeem-pairing-code.ts'
import type { WakeHints } from '../hints/wake-hints.ts'
import type { EventRecorder } from '../ingest/event-recorder.ts'
import { addressBlock } from '../limits/address-block.ts'
import { type FairQueue, URGENT } from '../limits/fair-queue.ts'
import { advanceMessages } from '../messages/progress/advance-messages.ts'
import { hidesSender } from '../settings/merge-settings.ts'
import type { RawStatements } from '../store/raw-statements.ts'
import type { SecretBox } from '../store/secret-box.ts'
import type { AdmissionReads } from './admission-reads.ts'
import { admitAgent, authenticateAgent, REVOKED } from './admit-agent.ts'
import { AgentReports } from './agent-reports.ts'
import type { AgentConnection } from './claim/agent-connection.ts'
import { LEASE_MS } from './claim/lease.ts'
import { openConnection } from './claim/open-connection.ts'
import { type ClaimOptions, claimCommands, type Room } from './dispatch/claim-commands-statement.ts'
import { readUnacknowledgedCommands } from './dispatch/read-unacknowledged-statement.ts'
import type { TelemetryRecorder } from './telemetry-recorder.ts'

/** The parts with which the link reads and writes data, and logs. */
export interface LinkStorage extends Pick<CoreDeps, 'database' | 'clock' | 'logbook'> {
  readonly hints: WakeHints
  /** Decrypts PINs on their way to an agent. */
  readonly box: SecretBox
  readonly log: { warn(details: object, message: string): void; error(details: object, message: string): void }
}

/** The facts that this relay announces to its agents. */
export interface RelayIdentity {
  readonly relayId: string
  /**
   * Returns the number that identifies the relay's delivery worker. It shows other relays that this relay is running.
   */
  readonly workerNumber: () => number | undefined
  readonly streamId: string
  readonly heartbeatSeconds: number
  /**
   * When agents delete message content. If undefined, agents keep the content, because the relay may be restored from a
   * backup.
   */
  readonly forgetAfterSeconds?: number | undefined
  /** True if messages may be sent through virtual modems even in accounts that have a real modem. */
  readonly mayMixEmulated?: boolean | undefined
}

export interface AgentRequestDeps {
  readonly store: LinkStorage
  readonly relay: RelayIdentity
  readonly pairing: RedeemPairingCodeDeps
  readonly recorder: EventRecorder
  readonly telemetry: TelemetryRecorder
  /** Queue of connections that wait for admission, grouped by address. */
  readonly arrivals: FairQueue
  /** Queue of the admissions that have to write. Limits how many database connections they use. */
  readonly admissionWrites: FairQueue
  readonly reads: AdmissionReads
  /** Called for each dispatched send with the seconds since it was due. */
  readonly onDispatched?: (sinceDueSeconds: number) => void
}

/** The effects of a session that need the database. */
export type DatabaseEffect = Exclude<
  RelayEffect,
  { kind: 'send' | 'close' | 'set-timer' | 'cancel-timer' | 'close-connection' | 'commands-taken' | 'claim-along' }
>

type Refused = Extract<RelayInput, { kind: 'refused' }>

export interface RequestListener {
  /** Called when this connection has become the current connection of its device. */
  readonly onOpened: () => void
  /**
   * Called with the settings that the agent gets when its connection opens. `refusal` is the reason why these settings
   * end the connection. It is undefined if the agent can apply the settings.
   */
  readonly onSettings: (version: number, settings: SettingsForAgent, refusal: Refused | undefined) => void
}

/** Carries out the database effects of one agent's session. */
export class AgentRequests {
  readonly #deps: AgentRequestDeps
  readonly #address: string
  readonly #listener: RequestListener
  readonly #reports: AgentReports
  /** The account of the device. Undefined until the agent is authenticated. */
  #accountId: string | undefined
  #connection: AgentConnection | undefined
  #isOver = false
  #mayHideSenders = false

  constructor(deps: AgentRequestDeps, address: string, listener: RequestListener) {
    this.#deps = deps
    this.#address = address
    this.#listener = listener
    this.#reports = new AgentReports(deps.store, deps.telemetry)
  }

  /**
   * The connection of the device. Undefined until the agent is authenticated and the database has recorded the
   * connection.
   */
  get connection(): AgentConnection | undefined {
    return this.#connection
  }

  /** Returns why these settings end the connection, or undefined if the agent can apply them. */
  refusalOf({ encryption }: Pick<Settings, 'encryption'>): Refused | undefined {
    if (this.#mayHideSenders || !hidesSender({ encryption })) return undefined
    const reason =
      'the account hides senders, but this agent cannot hide them: upgrade the agent. Until then, its messages wait'
    return { kind: 'refused', why: 'unsupported', reason }
  }

  /** Called when the connection has ended. Drops the requests of the connection that are still waiting in the queue. */
  end(): void {
    this.#isOver = true
    this.#reports.end()
  }

  /**
   * Carries out an effect and returns the input that follows. When another relay stops, thousands of agents reconnect
   * to this relay at once. Only a few agents are admitted at a time, and the agents that are nearest to completion come
   * first. So neither these agents nor the connected agents time out.
   */
  async run(effect: DatabaseEffect): Promise<RelayInput | undefined> {
    const group = admissionGroup(effect, this.#address)
    if (group === undefined) return this.#answer(effect)
    // Agents that are being paired must not fill the queue of the paired agents.
    const queue = effect.kind === 'pair' ? this.#deps.admissionWrites : this.#deps.arrivals
    return (await this.#inTurn(queue, group, () => this.#answer(effect))) ?? failureInput(effect)
  }

  /** Returns the result of the task, or undefined if it was dropped or the agent has disconnected in the meantime. */
  async #inTurn<Result>(queue: FairQueue, group: string, task: () => Promise<Result>): Promise<Result | undefined> {
    return await queue.run(group, async () => (this.#isOver ? undefined : await task()))
  }

  async #answer(effect: DatabaseEffect): Promise<RelayInput | undefined> {
    const { database, clock, logbook } = this.#deps.store
    switch (effect.kind) {
      case 'pair': {
        const admission = await admitAgent(this.#deps.pairing, { ...effect, address: this.#address })
        if (admission.ok) return { kind: 'paired', deviceId: admission.deviceId }
        const { reason } = admission
        return admission.isTemporary
          ? { kind: 'refused', why: 'unavailable', reason }
          : { kind: 'pairing-refused', reason }
      }
      case 'authenticate': {
        const authentication = await authenticateAgent(this.#deps.reads, effect)
        if (!authentication.ok) return authentication.refusal
        this.#accountId = authentication.accountId
        return { kind: 'authenticated' }
      }
      case 'open-connection':
        return this.#open(effect.hello)
      case 'store-events':
        return this.#store(effect)
      case 'claim-commands': {
        const connection = this.#opened()
        // Commands that arrive during this read wake the session.
        if (effect.isResume && !(await this.#deps.reads.mayHaveCommands(connection)))
          return { kind: 'commands-claimed', commands: [], areAll: true }
        // Resumed sessions wait for a turn, so that thousands of arriving agents leave connections of the database for
        // the API.
        const commands = effect.isResume
          ? await this.#inTurn(this.#deps.admissionWrites, addressBlock(this.#address), () =>
              readUnacknowledgedCommands(database, connection, clock.now()),
            )
          : await this.claim(database, effect.room)
        return commands && this.claimed(commands)
      }
      case 'command-too-large': {
        const { deviceId, accountId } = this.#opened()
        const reason = 'the message is too large for the link: split it into smaller messages'
        const input = { kind: 'failed', at: clock.now(), code: 'too_large' satisfies RelayFailureCode, reason } as const
        const updates = [{ accountId, deviceId, cmdId: effect.command.cmdId, input }]
        await database.$transaction((statements) => advanceMessages(statements, updates, clock.now()))
        return undefined
      }
      case 'take-telemetry':
        this.#reports.takeTelemetry(this.#opened(), effect.sample)
        return undefined
      case 'take-waiting':
        await this.#reports.storeWaiting(this.#opened(), effect.report)
        return undefined
      case 'report-duplicate': {
        const { accountId, deviceId } = this.#opened()
        const message =
          'two agents used the identity of this device, so one of the agents has stopped: pair that agent again'
        logbook.write({ accountId, deviceId, module: 'agents', priority: 'ERROR', message })
        return undefined
      }
      case 'renew-lease':
        // Does nothing, because ConnectedAgents renews the leases of all connections together.
        return undefined
    }
  }

  claim(statements: RawStatements, room: Room, { mayWait }: Pick<ClaimOptions, 'mayWait'> = {}): Promise<Command[]> {
    const { onDispatched, relay, store } = this.#deps
    const options = { onDispatched, mayMixEmulated: relay.mayMixEmulated, mayWait }
    return claimCommands(statements, this.#opened(), room, store.clock.now(), options)
  }

  /** Returns the input for the session when these commands belong to the journal of the device. */
  claimed(commands: readonly Command[]): RelayInput {
    if (commands.length > 0) crashPoint('commands-claimed')
    return { kind: 'commands-claimed', commands: commands.map((command) => openPin(this.#deps.store.box, command)) }
  }

  /** Returns undefined if the agent has disconnected in the meantime, or if its write was dropped. */
  async #open(hello: Hello): Promise<RelayInput | undefined> {
    const { clock, hints } = this.#deps.store
    const { relayId, streamId, forgetAfterSeconds } = this.#deps.relay
    const { deviceId, journal, bootId, agentVersion, sims, encryptionKey, aliasKey } = hello
    // The first agents with this capability did not have a key.
    const supported = capabilities.filter(
      (name) => hello.capabilities.includes(name) && (name !== 'public-key' || encryptionKey !== undefined),
    )
    const accountId = this.#accountId
    if (accountId === undefined) throw new Error('this agent is not yet authenticated')
    this.#mayHideSenders = supported.includes('number-alias')
    const refusal = this.#mayHideSenders
      ? undefined
      : this.refusalOf((await this.#deps.reads.settings(accountId)).settings)
    if (refusal !== undefined) {
      this.#logRefusal({ accountId, deviceId }, refusal)
      return refusal
    }
    const agent = { accountId, deviceId, journalId: journal.id, bootId, agentVersion, capabilities: supported, sims }
    const written = await this.#inTurn(this.#deps.admissionWrites, URGENT, async () => {
      const options = { relayId, leaseMs: LEASE_MS, now: clock.now() }
      return { opened: await openConnection(this.#deps.store.database, { ...agent, encryptionKey, aliasKey }, options) }
    })
    if (written === undefined) return undefined
    const { opened } = written
    if (opened === undefined) return REVOKED
    crashPoint('connection-opened')
    this.#connection = opened.connection
    const { connEpoch } = opened.connection
    if (opened.displacedRelayId !== undefined) hints.superseded(deviceId, connEpoch, bootId)
    // Registers the connection before the settings are read, so that a later change is sent to this agent.
    if (!this.#isOver) this.#listener.onOpened()
    const { version, settings } = await this.#deps.reads.settings(accountId)
    const settingsToSend = settingsForAgent(settings, forgetAfterSeconds)
    // The settings may have changed since they were checked.
    const laterRefusal = this.refusalOf(settings)
    if (laterRefusal !== undefined) this.#logRefusal({ accountId, deviceId }, laterRefusal)
    this.#listener.onSettings(version, settingsToSend, laterRefusal)
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
        settings: settingsToSend,
      },
    }
  }

  #logRefusal(device: { readonly accountId: string; readonly deviceId: string }, { reason }: Refused): void {
    this.#deps.store.logbook.write({ ...device, module: 'agents', priority: 'ERROR', message: reason })
  }

  async #store({ batch }: RelayEffect & { kind: 'store-events' }): Promise<RelayInput> {
    crashPoint('events-arrived')
    const result = await this.#deps.recorder.record({ connection: this.#opened(), ...batch })
    crashPoint('events-committed')
    switch (result.kind) {
      case 'stored':
        return { kind: 'events-stored', mark: result.mark, pauseMs: result.pauseMs }
      case 'gap':
        return { kind: 'mark-behind', mark: result.mark }
      case 'fenced':
        return { kind: 'fenced' }
    }
  }

  #opened(): AgentConnection {
    if (this.#connection === undefined) throw new Error('this connection is not yet authenticated')
    return this.#connection
  }
}

/**
 * Returns the group of an effect in the queue of admissions. Returns undefined for an effect that does not belong to an
 * admission, which is carried out at once.
 */
export function admissionGroup(effect: DatabaseEffect, address: string): string | undefined {
  switch (effect.kind) {
    case 'open-connection':
      return URGENT
    case 'pair':
    case 'authenticate':
      return addressBlock(address)
    case 'claim-commands':
      return effect.isResume ? addressBlock(address) : undefined
    default:
      return undefined
  }
}

export type SettingsForAgent = Readonly<Record<string, unknown>>

/** Returns the settings that an agent needs, without webhooks and secrets. */
export function settingsForAgent(
  settings: Readonly<Record<string, unknown>>,
  forgetAfterSeconds: number | undefined,
): Readonly<Record<string, unknown>> {
  const privacy = { forget_after_seconds: forgetAfterSeconds }
  return {
    messages: settings['messages'],
    ping: settings['ping'],
    encryption: settings['encryption'],
    ...(forgetAfterSeconds !== undefined && { privacy }),
  }
}

/** Returns the input for the session after an effect failed. */
export function failureInput(effect: DatabaseEffect): RelayInput | undefined {
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
