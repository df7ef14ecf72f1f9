// Outbound path, step 10: receives the frame with the command. Next: command-handler.ts.
// Inbound path, step 6: sends the event, and sends it again after a reconnect. Next: agent-requests.ts.

import type { Welcome } from '@smsgw/contract/link/frame'
import { crashPoint, crashPointIf } from '@smsgw/daemon/crash-point'
import { nextAgent } from '@smsgw/link/agent/session'
import type {
  AgentEffect,
  AgentInput,
  AgentState,
  AgentTimer,
  JournalIdentity,
  JournalMarks,
} from '@smsgw/link/agent/state'
import type { ReceivedCommand } from '@smsgw/link/commands/received-command'
import type { JournaledEvent } from '@smsgw/link/events/event-outbox'
import type { Clock, Timer } from '@smsgw/modem/clock'
import type { LinkSocket, OpenSocket } from './link-socket.ts'

/**
 * Runs the session machine of `@smsgw/link`: feeds it inputs from the socket, the journal and the clock, and performs
 * its effects. The machine makes all decisions.
 */
export class AgentLink {
  readonly #options: AgentLinkOptions
  readonly #sockets = new Map<number, LinkSocket>()
  readonly #timers = new Map<AgentTimer, Timer>()
  readonly #pending: AgentInput[] = []
  #state: AgentState
  #isStepping = false
  /** The last read of events. The reads follow each other, so that events are sent in order. */
  #reads: Promise<unknown> = Promise.resolve()
  /** The commands of this turn of the event loop, which are written to the journal together. */
  #arrived: (JournalCommands & { readonly commands: ReceivedCommand[] }) | undefined
  /** Writes `#arrived` at the end of the turn. */
  #journaling: NodeJS.Immediate | undefined
  #onFlushed: (() => void) | undefined

  constructor(options: AgentLinkOptions) {
    this.#options = options
    this.#state = options.state
  }

  get phase(): AgentState['phase'] {
    return this.#state.phase
  }

  get identity(): AgentState['identity'] {
    return this.#state.identity
  }

  /** The number of events that the relay has not acknowledged. */
  get eventsWaiting(): number {
    const { tail, mark } = this.#state.outbox
    return tail - mark
  }

  start(): void {
    this.step({ kind: 'start' })
  }

  /** Resolves when the relay has acknowledged all events, when there is no connection, or after the limit. */
  flushed(limitMs: number): Promise<void> {
    const { clock } = this.#options
    return new Promise((resolve) => {
      const timer = clock.after(limitMs, () => this.#onFlushed?.())
      this.#onFlushed = () => {
        this.#onFlushed = undefined
        timer.cancel()
        resolve()
      }
      this.#checkFlushed()
    })
  }

  stop(): void {
    this.step({ kind: 'stop' })
    for (const timer of this.#timers.values()) timer.cancel()
    this.#timers.clear()
    // The journal is closed next, so nothing more is written. The relay repeats commands that were not acknowledged.
    clearImmediate(this.#journaling)
    this.#arrived = undefined
  }

  /** Processes inputs one at a time. An input that an effect causes is processed after the current input. */
  step(input: AgentInput): void {
    this.#pending.push(input)
    if (this.#isStepping) return
    this.#isStepping = true
    try {
      for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
        const { state, effects } = nextAgent(this.#state, next)
        this.#state = state
        for (const effect of effects) this.#perform(effect)
      }
    } finally {
      this.#isStepping = false
    }
    this.#checkFlushed()
  }

  #checkFlushed(): void {
    if (this.phase.kind !== 'online' || this.eventsWaiting === 0) this.#onFlushed?.()
  }

  #perform(effect: AgentEffect): void {
    switch (effect.kind) {
      case 'connect':
        this.#connect(effect.connection)
        break
      case 'send':
        this.#sockets.get(effect.connection)?.send(effect.text, effect.frame)
        crashPointIf('events-sent', () => effect.text.startsWith('{"type":"events"'))
        break
      case 'close':
        this.#sockets.get(effect.connection)?.close(effect.code, effect.reason)
        this.#sockets.delete(effect.connection)
        break
      case 'set-timer':
        this.#setTimer(effect)
        break
      case 'cancel-timer':
        this.#timers.get(effect.timer)?.cancel()
        this.#timers.delete(effect.timer)
        break
      case 'sign': {
        const { connection } = effect
        this.step({ kind: 'signed', connection, signature: this.#options.identity.sign(effect.text) })
        break
      }
      case 'connected':
        this.#options.listener.onConnected(effect.welcome)
        break
      case 'disconnected':
      case 'stopped':
        this.#options.listener.onDisconnected(effect.kind, effect.why, effect.reason)
        break
      case 'apply-settings':
        this.#options.listener.onSettings(effect.settings, effect.serverTime)
        break
      case 'journal-commands':
        this.#collect(effect)
        break
      default:
        this.#performAsync(effect)
    }
  }

  /** Commands that arrive in the same turn of the event loop are written together. */
  #collect({ journalId, commands }: JournalCommands): void {
    if (this.#arrived?.journalId !== journalId) this.#journalArrived()
    this.#arrived ??= { kind: 'journal-commands', journalId, commands: [] }
    this.#arrived.commands.push(...commands)
    this.#journaling ??= setImmediate(() => this.#journalArrived())
  }

  #journalArrived(): void {
    clearImmediate(this.#journaling)
    this.#journaling = undefined
    const arrived = this.#arrived
    this.#arrived = undefined
    if (arrived !== undefined) this.#performAsync(arrived)
  }

  /** Performs effects that use the journal or a file. The result of each effect becomes an input. */
  #performAsync(effect: AsyncEffect): void {
    const { connection } = effect as { connection?: number }
    this.#resultOf(effect).then(
      (input) => input && this.step(input),
      (error) => {
        this.#options.listener.onError(error)
        // Closes the connection, because the session machine would wait forever for this result. The next connection
        // starts from the beginning.
        if (connection !== undefined) this.#sockets.get(connection)?.close(1011, 'internal error in the agent')
      },
    )
  }

  async #resultOf(effect: AsyncEffect): Promise<AgentInput | undefined> {
    const { commands, identity, journal } = this.#options
    switch (effect.kind) {
      case 'store-identity':
        await identity.keep(effect.deviceId)
        return { kind: 'identity-stored', deviceId: effect.deviceId }
      case 'compare-tag': {
        const tag = await journal.tagOf(effect.seq)
        return { kind: 'tag-compared', connection: effect.connection, isSame: tag === undefined || tag === effect.tag }
      }
      case 'read-events': {
        const { from, events } = await this.#inOrder(() => journal.events(effect.from, effect.most))
        crashPoint('events-read')
        return { kind: 'events-read', connection: effect.connection, from, events }
      }
      case 'record-mark':
        crashPoint('events-acknowledged')
        await journal.recordMark(effect.mark, effect.streamId)
        return undefined
      case 'journal-commands': {
        const keys = await commands.take(effect.journalId, effect.commands)
        return { kind: 'commands-journaled', keys, open: commands.openSends() }
      }
      case 'replace-journal': {
        const renewed = await journal.renounce(effect.journalId, effect.provenMark)
        return { kind: 'journal-replaced', ...renewed, open: commands.openSends() }
      }
    }
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#reads.then(work)
    this.#reads = done.catch(() => undefined)
    return done
  }

  #connect(connection: number): void {
    const socket = this.#options.openSocket({
      onReached: () => this.step({ kind: 'reached', connection }),
      onOpened: () => this.step({ kind: 'opened', connection }),
      onText: (text) => this.step({ kind: 'received', connection, text }),
      onClosed: (code, reason) => {
        this.#sockets.delete(connection)
        this.step({ kind: 'closed', connection, code, reason })
      },
      onUnreachable: (unreachable) => {
        this.#sockets.delete(connection)
        this.step({ kind: 'unreachable', connection, ...unreachable })
      },
    })
    this.#sockets.set(connection, socket)
  }

  #setTimer({ timer, fromMs, toMs }: AgentEffect & { kind: 'set-timer' }): void {
    const { clock, random } = this.#options
    this.#timers.get(timer)?.cancel()
    this.#timers.set(
      timer,
      clock.after(fromMs + (toMs - fromMs) * random(), () => this.step({ kind: 'timer', timer })),
    )
  }
}

export interface AgentLinkOptions {
  readonly state: AgentState
  readonly clock: Clock
  readonly random: () => number
  readonly openSocket: OpenSocket
  readonly identity: LinkIdentity
  readonly journal: LinkJournal
  readonly commands: LinkCommands
  readonly listener: LinkListener
}

export interface LinkIdentity {
  /** Signs with the agent's key. Returns base64. */
  sign(text: string): string
  keep(deviceId: string): Promise<void>
}

export interface LinkCommands {
  /**
   * Resolves with the keys of the commands that are on disk, and leaves out commands that could not be written. Writes
   * nothing if the id of the journal has changed.
   */
  take(journalId: string, commands: readonly ReceivedCommand[]): Promise<readonly string[]>
  /** The number of messages in the journal that have not ended. */
  openSends(): number
}

export interface LinkListener {
  onSettings(settings: Readonly<Record<string, unknown>>, serverTime?: string): void
  onConnected(welcome: Welcome): void
  onDisconnected(kind: 'disconnected' | 'stopped', why: string, reason: string): void
  onError(error: unknown): void
}

export interface LinkJournal {
  tagOf(seq: number): Promise<string | undefined>
  events(from: number, most: number): Promise<{ readonly from: number; readonly events: readonly JournaledEvent[] }>
  recordMark(mark: number, streamId: string): Promise<void>
  /** Gives the journal a new id and puts its open commands in doubt. */
  renounce(
    journalId: string,
    provenMark: number,
  ): Promise<{ readonly journal: JournalIdentity; readonly marks: JournalMarks }>
}

type JournalCommands = Extract<AgentEffect, { kind: 'journal-commands' }>

type AsyncEffect = Extract<
  AgentEffect,
  {
    kind: 'store-identity' | 'compare-tag' | 'read-events' | 'record-mark' | 'journal-commands' | 'replace-journal'
  }
>
