import type { Welcome } from '@smsgw/contract/link/frame'
import { nextAgent } from '@smsgw/link/agent-session'
import type { AgentEffect, AgentInput, AgentState, AgentTimer, Journal, JournalMarks } from '@smsgw/link/agent-state'
import type { ReceivedCommand } from '@smsgw/link/received-command'
import type { Clock, Timer } from '@smsgw/modem/clock'
import { crashPoint } from '../crash-point.ts'
import type { LinkSocket, OpenSocket } from './link-socket.ts'

/**
 * Runs the session machine of `@smsgw/link`: gives it what happens on the socket, in the journal and by the clock, and
 * does what it says. Everything it decides is decided there.
 */
export class AgentLink {
  readonly #options: AgentLinkOptions
  readonly #sockets = new Map<number, LinkSocket>()
  readonly #timers = new Map<AgentTimer, Timer>()
  readonly #pending: AgentInput[] = []
  #state: AgentState
  #isStepping = false
  #reads: Promise<unknown> = Promise.resolve()
  #onTold: (() => void) | undefined

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

  /** In the journal, and not known to be at the relay. */
  get eventsWaiting(): number {
    const { tail, mark } = this.#state.outbox
    return tail - mark
  }

  start(): void {
    this.step({ kind: 'start' })
  }

  /** Resolves when the relay has everything, or cannot be told, or after the limit: it is told at the next start then. */
  told(limitMs: number): Promise<void> {
    const { clock } = this.#options
    return new Promise((resolve) => {
      const timer = clock.after(limitMs, () => this.#onTold?.())
      this.#onTold = () => {
        this.#onTold = undefined
        timer.cancel()
        resolve()
      }
      this.#lookIfTold()
    })
  }

  stop(): void {
    this.step({ kind: 'stop' })
    for (const timer of this.#timers.values()) timer.cancel()
    this.#timers.clear()
  }

  /** One input after the other: what an effect brings about at once comes behind it. */
  step(input: AgentInput): void {
    this.#pending.push(input)
    if (this.#isStepping) return
    this.#isStepping = true
    try {
      for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
        const { state, effects } = nextAgent(this.#state, next)
        this.#state = state
        for (const effect of effects) this.#do(effect)
      }
    } finally {
      this.#isStepping = false
    }
    this.#lookIfTold()
  }

  #lookIfTold(): void {
    if (this.phase.kind !== 'online' || this.eventsWaiting === 0) this.#onTold?.()
  }

  #do(effect: AgentEffect): void {
    switch (effect.kind) {
      case 'connect':
        this.#connect(effect.connection)
        break
      case 'send':
        this.#sockets.get(effect.connection)?.send(effect.text)
        if (effect.text.startsWith('{"type":"events"')) crashPoint('events-sent')
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
        this.step({ kind: 'signed', connection, signature: this.#options.sign(effect.text) })
        break
      }
      case 'connected':
        this.#options.onConnected(effect.welcome)
        break
      case 'disconnected':
      case 'stopped':
        this.#options.onDisconnected(effect.kind, effect.why, effect.reason)
        break
      case 'apply-settings':
        this.#options.onSettings(effect.settings)
        break
      default:
        this.#ask(effect)
    }
  }

  /** What the journal or a file is asked: it takes a while, and the answer comes as an input. */
  #ask(effect: Asking): void {
    const { connection } = effect as { connection?: number }
    this.#answer(effect).then(
      (input) => input && this.step(input),
      (error) => {
        this.#options.onTrouble(error)
        // Nothing was answered, and nothing must wait for it: a new connection asks again.
        if (connection !== undefined) this.#sockets.get(connection)?.close(1011, 'the agent cannot go on')
      },
    )
  }

  async #answer(effect: Asking): Promise<AgentInput | undefined> {
    const { journal } = this.#options
    switch (effect.kind) {
      case 'keep-identity':
        await this.#options.keepIdentity(effect.deviceId)
        return { kind: 'identity-kept', deviceId: effect.deviceId }
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
        const keys = await this.#options.takeCommands(effect.journalId, effect.commands)
        return { kind: 'commands-journaled', keys, open: this.#options.openSends() }
      }
      case 'renounce-journal': {
        const renewed = await this.#options.renounce(effect.journalId, effect.provenMark)
        return { kind: 'journal-renewed', ...renewed, open: this.#options.openSends() }
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
      onOpened: () => this.step({ kind: 'opened', connection }),
      onText: (text) => this.step({ kind: 'received', connection, text }),
      onClosed: (code, reason) => {
        this.#sockets.delete(connection)
        this.step({ kind: 'closed', connection, code, reason })
      },
    })
    this.#sockets.set(connection, socket)
  }

  #setTimer({ timer, fromMs, toMs }: AgentEffect & { kind: 'set-timer' }): void {
    const { clock, chance } = this.#options
    this.#timers.get(timer)?.cancel()
    this.#timers.set(
      timer,
      clock.after(fromMs + (toMs - fromMs) * chance(), () => this.step({ kind: 'timer', timer })),
    )
  }
}

export interface AgentLinkOptions {
  readonly state: AgentState
  readonly clock: Clock
  readonly chance: () => number
  readonly openSocket: OpenSocket
  /** With the agent's key, base64. */
  readonly sign: (text: string) => string
  readonly keepIdentity: (deviceId: string) => Promise<void>
  readonly journal: LinkJournal
  /** Resolves with their keys when they are on disk. Nothing is written when the journal has another name by now. */
  readonly takeCommands: (journalId: string, commands: readonly ReceivedCommand[]) => Promise<readonly string[]>
  readonly renounce: (
    journalId: string,
    provenMark: number,
  ) => Promise<{ readonly journal: Journal; readonly marks: JournalMarks }>
  /** Sends in the journal that have not ended. */
  readonly openSends: () => number
  readonly onSettings: (settings: Readonly<Record<string, unknown>>) => void
  readonly onConnected: (welcome: Welcome) => void
  readonly onDisconnected: (kind: 'disconnected' | 'stopped', why: string, reason: string) => void
  readonly onTrouble: (error: unknown) => void
}

export interface LinkJournal {
  tagOf(seq: number): Promise<string | undefined>
  events(
    from: number,
    most: number,
  ): Promise<{ readonly from: number; readonly events: readonly { readonly text: string; readonly tag: string }[] }>
  recordMark(mark: number, streamId: string): Promise<void>
}

type Asking = Extract<
  AgentEffect,
  {
    kind: 'keep-identity' | 'compare-tag' | 'read-events' | 'record-mark' | 'journal-commands' | 'renounce-journal'
  }
>
