import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { type Command, commandKey } from '@smsgw/contract/link/command'
import type { AgentEvent, AliasKey, EncryptionKey } from '@smsgw/contract/link/event'
import { type Capability, subprotocol, type Welcome } from '@smsgw/contract/link/frame'
import type { WaitingReport } from '@smsgw/contract/link/waiting-report'
import { nextAgent } from '@smsgw/link/agent/session'
import {
  type AgentEffect,
  type AgentInput,
  type AgentState,
  type AgentTimer,
  type Identity,
  newAgent,
} from '@smsgw/link/agent/state'
import { WebSocket } from 'ws'

interface AgentKeys {
  readonly privateKey: KeyObject
  readonly publicKey: string
}

export interface ScriptedAgentOptions {
  /** URL of the relay, `http://…`. May be changed between two connections. */
  readonly url: string
  readonly identity: Identity
  readonly keys?: AgentKeys
  readonly journalId?: string
  readonly bootId?: string
  readonly capabilities?: readonly Capability[]
  readonly encryptionKey?: EncryptionKey
  readonly aliasKey?: AliasKey
  /** Returns the events of a command. By default there are none. */
  readonly answer?: (command: Command) => readonly AgentEvent[]
  /** If true, events are discarded before they are sent, as if the agent had been killed. */
  readonly isLost?: (command: Command) => boolean
  /** Credit for sends. A send without events does not return its credit. */
  readonly capacity?: number
  /** The client address to report to a relay that trusts this machine as a proxy. */
  readonly address?: string
  /** The address of this machine from which to connect. */
  readonly localAddress?: string
  /** When to reconnect, from 0 (at once) to 1 (as late as the session machine allows). */
  readonly chance?: number
}

/** An agent with the real session machine and a real socket, but a journal in memory and scripted behaviour. */
export class ScriptedAgent {
  readonly keys: AgentKeys
  readonly commands: Command[] = []
  readonly settings: unknown[] = []
  readonly welcomes: Welcome[] = []
  /** Reasons why connections ended, in order. */
  readonly ended: string[] = []
  url: string
  identity: Identity
  readonly #options: ScriptedAgentOptions
  readonly #sockets = new Map<number, WebSocket>()
  readonly #timers = new Map<AgentTimer, NodeJS.Timeout>()
  readonly #taken = new Set<string>()
  readonly #waiting = new Set<() => void>()
  #journalId: string
  #open = 0
  #events: { readonly text: string; readonly tag: string }[] = []
  #state: AgentState
  #inputs: AgentInput[] = []
  #isStepping = false

  constructor(options: ScriptedAgentOptions) {
    this.#options = options
    this.url = options.url
    this.keys = options.keys ?? newKeys()
    this.identity = options.identity
    this.#journalId = options.journalId ?? randomUUID()
    this.#state = newAgent({
      agent: {
        bootId: options.bootId ?? randomUUID(),
        agentVersion: '1.0.0',
        capabilities: options.capabilities ?? [],
        publicKey: this.keys.publicKey,
        name: 'scripted',
        isClockSynchronised: true,
        sims: [{ simNumber: 1, state: 'ready' }],
        encryptionKey: options.encryptionKey,
        aliasKey: options.aliasKey,
      },
      identity: options.identity,
      journal: { id: this.#journalId },
      marks: { first: 1, tail: 0, mark: 0 },
      queue: { open: 0, capacity: options.capacity ?? 1_000, urgent: 4 },
    })
  }

  get phase(): AgentState['phase']['kind'] {
    return this.#state.phase.kind
  }

  /** The mark that the relay acknowledged. */
  get stored(): number {
    return this.#state.outbox.mark
  }

  get deviceId(): string {
    return 'deviceId' in this.identity ? this.identity.deviceId : ''
  }

  get journalId(): string {
    return this.#journalId
  }

  start(): this {
    this.#step({ kind: 'start' })
    return this
  }

  stop(): void {
    this.#step({ kind: 'stop' })
    for (const timer of this.#timers.values()) clearTimeout(timer)
    for (const socket of this.#sockets.values()) socket.terminate()
  }

  /** Breaks the connection without a close frame. */
  cut(): void {
    for (const socket of this.#sockets.values()) socket.terminate()
  }

  /** Sends a frame that does not come from the session machine. */
  say(text: string): void {
    for (const socket of this.#sockets.values()) socket.send(text)
  }

  tell(...events: readonly AgentEvent[]): void {
    for (const event of events)
      this.#events.push({ text: JSON.stringify(event), tag: `tag ${this.#events.length + 1}` })
    this.#step({ kind: 'events-appended', journalId: this.#journalId, tail: this.#events.length })
  }

  telemetry(sample: Readonly<Record<string, unknown>>): void {
    this.#step({ kind: 'telemetry', at: new Date().toISOString(), sample })
  }

  waiting(report: WaitingReport): void {
    this.#step({ kind: 'waiting', report })
  }

  /** Waits until the condition is true. The condition is evaluated at each event of the agent. */
  until(isSo: () => boolean): Promise<void> {
    if (isSo()) return Promise.resolve()
    return new Promise((resolve) => {
      const look = () => {
        if (!isSo()) return
        this.#waiting.delete(look)
        resolve()
      }
      this.#waiting.add(look)
    })
  }

  online(): Promise<void> {
    return this.until(() => this.phase === 'online')
  }

  #step(input: AgentInput): void {
    this.#inputs.push(input)
    if (this.#isStepping) return
    this.#isStepping = true
    for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) {
      const { state, effects } = nextAgent(this.#state, next)
      this.#state = state
      for (const effect of effects) this.#do(effect)
    }
    this.#isStepping = false
    for (const look of [...this.#waiting]) look()
  }

  #do(effect: AgentEffect): void {
    switch (effect.kind) {
      case 'connect':
        this.#connect(effect.connection)
        break
      case 'send':
        this.#sockets.get(effect.connection)?.send(effect.text)
        break
      case 'close':
        this.#sockets.get(effect.connection)?.close(effect.code, effect.reason)
        break
      case 'set-timer':
        this.#setTimer(effect)
        break
      case 'cancel-timer':
        clearTimeout(this.#timers.get(effect.timer))
        break
      case 'apply-settings':
        this.settings.push(effect.settings)
        break
      case 'connected':
        this.welcomes.push(effect.welcome)
        break
      case 'disconnected':
        this.ended.push(effect.why)
        break
      default:
        this.#answer(effect)
    }
  }

  /** The data that a real agent reads from its disk. */
  #answer(effect: AgentEffect): void {
    switch (effect.kind) {
      case 'sign': {
        const signature = sign(null, Buffer.from(effect.text), this.keys.privateKey).toString('base64')
        this.#step({ kind: 'signed', connection: effect.connection, signature })
        break
      }
      case 'store-identity':
        this.identity = { deviceId: effect.deviceId }
        this.#step({ kind: 'identity-stored', deviceId: effect.deviceId })
        break
      case 'compare-tag': {
        const tag = this.#events[effect.seq - 1]?.tag
        const isSame = tag === undefined || tag === effect.tag
        this.#step({ kind: 'tag-compared', connection: effect.connection, isSame })
        break
      }
      case 'read-events': {
        const { connection, from, most } = effect
        const events = this.#events.slice(from - 1, from - 1 + most)
        this.#step({ kind: 'events-read', connection, from, events })
        break
      }
      case 'journal-commands':
        this.#take(effect)
        break
      case 'replace-journal':
        this.#renounce(effect.provenMark)
        break
    }
  }

  #connect(connection: number): void {
    const { address, localAddress } = this.#options
    const headers = address === undefined ? {} : { 'x-forwarded-for': address }
    const options = { headers, ...(localAddress !== undefined && { localAddress }) }
    const socket = new WebSocket(`${this.url.replace('http', 'ws')}/agent/v1`, subprotocol, options)
    this.#sockets.set(connection, socket)
    socket.on('open', () => this.#step({ kind: 'opened', connection }))
    socket.on('message', (data) => this.#step({ kind: 'received', connection, text: data.toString() }))
    // Does nothing, because the event `close` follows each error.
    socket.on('error', () => undefined)
    socket.on('close', (code, reason) => {
      this.#sockets.delete(connection)
      this.#step({ kind: 'closed', connection, code, reason: reason.toString() })
    })
  }

  #setTimer({ timer, fromMs, toMs }: AgentEffect & { kind: 'set-timer' }): void {
    clearTimeout(this.#timers.get(timer))
    const ms = fromMs + (toMs - fromMs) * (this.#options.chance ?? 0)
    this.#timers.set(
      timer,
      setTimeout(() => this.#step({ kind: 'timer', timer }), ms),
    )
  }

  #take({ commands }: AgentEffect & { kind: 'journal-commands' }): void {
    if (commands.some((one) => 'command' in one && this.#options.isLost?.(one.command))) return
    const keys = commands.map((one) => ('command' in one ? commandKey(one.command) : one.key))
    for (const one of commands) {
      if (!('command' in one) || this.#taken.has(commandKey(one.command))) continue
      this.#taken.add(commandKey(one.command))
      this.commands.push(one.command)
      const events = this.#options.answer?.(one.command) ?? []
      if (events.length > 0) this.tell(...events)
      else if (one.command.kind === 'send') this.#open += 1
    }
    this.#step({ kind: 'commands-journaled', keys, open: this.#open })
  }

  #renounce(provenMark: number): void {
    const replaces = this.#journalId
    this.#journalId = randomUUID()
    this.#events = this.#events.slice(provenMark)
    this.#step({
      kind: 'journal-replaced',
      journal: { id: this.#journalId, replaces },
      marks: { first: 1, tail: this.#events.length, mark: 0 },
      open: 0,
    })
  }
}

export function newKeys(): AgentKeys {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  return { privateKey, publicKey: raw.toString('base64') }
}
