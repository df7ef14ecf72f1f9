// Outbound path, step 7: runs the session of one agent. Next: claim-commands-statement.ts.

import { closeCodes } from '@smsgw/contract/link/close-code'
import { crashPoint, crashPointIf } from '@smsgw/daemon/crash-point'
import { isRelayOpen } from '@smsgw/link/relay/online'
import { nextRelay } from '@smsgw/link/relay/session'
import {
  newConnection,
  type RelayEffect,
  type RelayInput,
  type RelayState,
  type RelayTimer,
} from '@smsgw/link/relay/state'
import type { ClaimAlong } from '../messages/accept/accept-messages.ts'
import { isStatementError } from '../messages/accept/statement-error.ts'
import type { AccountSettings } from '../settings/read-settings.ts'
import {
  type AgentRequestDeps,
  AgentRequests,
  type DatabaseEffect,
  failureInput,
  type SettingsForAgent,
  settingsForAgent,
} from './agent-requests.ts'
import type { AgentConnection } from './claim/agent-connection.ts'
import type { ConnectionCloser } from './claim/connection-closer.ts'
import type { Room } from './dispatch/claim-commands-statement.ts'
import type { RoutedChallenge } from './routed-challenge.ts'

/** The transport of an agent's connection, which is a WebSocket or a pair of functions in one process. */
export interface AgentSocket {
  send(text: string): void
  close(code: number, reason: string): void
}

interface ConnectionFacts {
  readonly socket: AgentSocket
  readonly address: string
  /** What the agent has to sign. */
  readonly challenge: RoutedChallenge
}

export interface ConnectedAgentDeps extends AgentRequestDeps {
  readonly closer: ConnectionCloser
}

export interface ConnectionListener {
  readonly onOpen: (session: ConnectedAgent) => void
  readonly onOver: (session: ConnectedAgent) => void
}

/**
 * The relay's side of the link to one agent. Feeds the session machine with input from the socket, the database and the
 * clock, and carries out its effects.
 */
export class ConnectedAgent {
  readonly #deps: ConnectedAgentDeps
  readonly #socket: AgentSocket
  readonly #requests: AgentRequests
  readonly #listener: ConnectionListener
  readonly #timers = new Map<RelayTimer, NodeJS.Timeout>()
  readonly #pending: RelayInput[] = []
  #state: RelayState
  #isStepping = false
  #isOver = false
  /** The room of a claim that has just begun in the transaction of an accept. */
  #roomAlong: Room | undefined
  #settingsVersion = 0
  /** The settings that were sent last, or undefined if none were sent yet. */
  #settings: SettingsForAgent | undefined

  constructor(deps: ConnectedAgentDeps, { socket, address, challenge }: ConnectionFacts, listener: ConnectionListener) {
    const { heartbeatSeconds } = deps.relay
    this.#deps = deps
    this.#socket = socket
    this.#requests = new AgentRequests(deps, address, {
      onOpened: () => listener.onOpen(this),
      onSettings: (version, settings, refusal) => {
        // Newer settings may have been sent while these were read.
        if (version >= this.#settingsVersion) {
          this.#settingsVersion = version
          this.#settings = settings
        }
        if (refusal !== undefined) this.step(refusal)
      },
    })
    this.#listener = listener
    this.#state = newConnection({ ...challenge, heartbeatSeconds })
  }

  /**
   * The connection of the device. Undefined until the agent is authenticated and the database has recorded the
   * connection.
   */
  get connection(): AgentConnection | undefined {
    return this.#requests.connection
  }

  /** True from the welcome until the connection ends. Only then can the agent be asked to leave. */
  get isOpen(): boolean {
    return isRelayOpen(this.#state)
  }

  /** Version of the settings that were sent last. */
  get settingsVersion(): number {
    return this.#settingsVersion
  }

  /** Sends the new time after the relay's clock was set, because the agent may use that clock. */
  sendTime(): void {
    const serverTime = this.#deps.store.clock.now().toISOString()
    if (this.#settings) this.step({ kind: 'settings-changed', settings: this.#settings, serverTime })
  }

  sendSettings({ version, settings }: Pick<AccountSettings, 'version' | 'settings'>): void {
    if (version <= this.#settingsVersion) return
    this.#settingsVersion = version
    const refusal = this.#requests.refusalOf(settings)
    if (refusal !== undefined) {
      this.step(refusal)
      return
    }
    this.#settings = settingsForAgent(settings, this.#deps.relay.forgetAfterSeconds)
    this.step({ kind: 'settings-changed', settings: this.#settings })
  }

  /**
   * Begins a claim in a transaction that stores messages for this device. Returns undefined if no claim can begin now,
   * for example because the agent grants no credit or because another claim is in progress.
   */
  claimAlong(due: 'ordinary-sends' | undefined): ClaimAlong | undefined {
    if (this.#isStepping) return undefined
    this.#roomAlong = undefined
    this.step({ kind: 'claim-along', due })
    const room = this.#roomAlong
    if (room === undefined) return undefined
    return {
      // An accept must not wait for an agent that is just connecting. That connection claims the message.
      start: (statements) => this.#requests.claim(statements, room, { mayWait: false }),
      settle: (committed) => {
        committed
          .then((commands) => this.#requests.claimed(commands))
          .then(
            (input) => this.step(input),
            (error) => this.#claimAgain(error),
          )
      },
    }
  }

  #claimAgain(error: unknown): void {
    if (isStatementError(error)) {
      // The transaction was rolled back because of the message, so nothing was claimed.
      this.step({ kind: 'commands-claimed', commands: [] })
      this.step({ kind: 'wake' })
      return
    }
    this.#deps.store.log.warn({ err: error }, 'commands of an agent delayed: their claim has an unknown outcome')
    this.step({ kind: 'claim-failed' })
  }

  /**
   * Processes inputs one after the other. If an effect immediately creates a new input, this input is processed after
   * all effects were carried out.
   */
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
    this.#deps.store.log.error({ err: error }, 'agent connection closed after an internal error')
    this.#pending.length = 0
    this.#state = { ...this.#state, phase: { kind: 'closed', connEpoch: this.connection?.connEpoch } }
    if (this.connection !== undefined) this.#deps.closer.add(this.connection)
    const { code } = closeCodes.unavailable
    this.#socket.close(code, 'internal error of the relay: see its log')
  }

  #do(effect: RelayEffect): void {
    switch (effect.kind) {
      case 'send':
        this.#socket.send(effect.text)
        crashPointIf('command-sent', () => effect.text.startsWith('{"type":"command"'))
        crashPointIf('events-acknowledged', () => effect.text.startsWith('{"type":"stored"'))
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
        if (this.connection !== undefined) this.#deps.closer.add(this.connection)
        break
      case 'claim-along':
        this.#roomAlong = effect.room
        break
      case 'commands-taken':
        // Stores nothing, because the agent also reports stored commands as events.
        crashPoint('commands-taken')
        break
      default:
        this.#request(effect)
    }
  }

  /** Carries out a database effect. Its result or its failure becomes an input. */
  #request(effect: DatabaseEffect): void {
    this.#requests.run(effect).then(
      (input) => input && this.step(input),
      (error) => {
        this.#deps.store.log.warn({ err: error, effect: effect.kind }, 'agent request delayed: database unavailable')
        // The connection may have been recorded before the failure.
        if (effect.kind === 'open-connection' && this.connection !== undefined) this.#deps.closer.add(this.connection)
        const failure = failureInput(effect)
        if (failure !== undefined) this.step(failure)
      },
    )
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#requests.end()
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#listener.onOver(this)
  }
}
