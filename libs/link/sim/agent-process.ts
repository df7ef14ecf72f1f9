import type { AgentEvent } from '@smsgw/contract/link/event'
import { nextAgent } from '../src/agent/session.ts'
import { type AgentEffect, type AgentInput, type AgentState, newAgent } from '../src/agent/state.ts'
import {
  endSend,
  eventOf,
  journalCommand,
  type ModelDisk,
  openSends,
  putInDoubt,
  type Result,
} from './model-journal.ts'
import { Process } from './process.ts'
import type { Socket } from './socket.ts'
import type { LinkWorld } from './world.ts'

/** The capacity of the agents in the simulation. */
export const capacity = 4
export const urgentCapacity = 2

/**
 * One run of an agent, with its state machine, a journal that takes time to write, and a radio. Everything that is not
 * on disk is lost when the agent is killed.
 *
 * The agent sends nothing before the first welcome, because an old copy must not send what its original may have sent.
 * After that, the agent also sends while the link is down. After a restart of the agent, its next run may also send
 * before the first welcome, unless the computer was switched off.
 */
export class AgentProcess {
  readonly disk: ModelDisk
  readonly process: Process
  readonly bootId: string
  state: AgentState
  /** True if the relay has accepted the journal, so that the agent may send. */
  isTrusted: boolean
  readonly #world: LinkWorld
  readonly #sockets = new Map<number, Socket>()
  #diskFreeAtMs = 0
  #isSending = false

  constructor(world: LinkWorld, disk: ModelDisk, isContinued = false) {
    this.#world = world
    this.isTrusted = isContinued
    this.disk = disk
    this.process = new Process(world.time, world.random.between(0.7, 1.3))
    this.bootId = `boot${world.number()}`
    this.state = newAgent({
      agent: {
        bootId: this.bootId,
        agentVersion: '1',
        publicKey: 'k'.repeat(44),
        name: 'agent',
        isClockSynchronised: true,
        sims: [],
      },
      identity: { deviceId: 'device' },
      journal: { id: disk.journalId, replaces: disk.replaces, streamId: disk.streamId },
      marks: this.#marks(),
      queue: { open: 0, capacity, urgent: urgentCapacity },
    })
    this.#write(
      () => {
        for (const { cmdId, result } of putInDoubt(disk, ['committed'])) this.#addResult(result, cmdId)
        for (const id of world.takeFromSim()) this.#append(this.#received(id))
        this.#append({ kind: 'started', at: world.instant(), agentVersion: '1', sims: [] })
      },
      () => {
        this.step({ kind: 'queue-changed', queue: { open: openSends(disk) } })
        this.step({ kind: 'start' })
        this.#sendNext()
      },
    )
  }

  get isStopped(): boolean {
    return this.state.phase.kind === 'stopped'
  }

  /** Ends the process and its sockets. `isNoticed`: the relay is notified that the sockets have ended. */
  kill(isNoticed: boolean): void {
    this.process.kill()
    for (const socket of this.#sockets.values()) socket.cut({ agent: false, relay: isNoticed })
  }

  /** Writes received messages to disk. Until then they stay on the SIM. */
  readSim(): void {
    this.#write(() => {
      for (const id of this.#world.takeFromSim()) this.#append(this.#received(id))
    })
  }

  /** Writes an event of a kind that the relay does not know. */
  writeUnreadable(): void {
    this.#write(() => this.#appendText('{"kind":"riddle"}'))
  }

  /** Removes old events. */
  prune(upto: number): void {
    this.#write(() => {
      this.disk.first = Math.max(this.disk.first, Math.min(upto, this.disk.mark) + 1)
      const { journalId, first } = this.disk
      return { kind: 'events-pruned', journalId, first }
    })
  }

  step(input: AgentInput): void {
    if (input.kind === 'received' && input.text.startsWith('{"type":"welcome"'))
      this.#world.sinceCopy.unreadWelcomes -= 1
    const { state, effects } = nextAgent(this.state, input)
    this.#world.note(this.bootId, input, state.phase.kind)
    this.state = state
    this.#world.invariants.agentStepped(this)
    for (const effect of effects) if (this.#world.mayContinue(this)) this.#do(effect)
  }

  #do(effect: AgentEffect): void {
    const { random } = this.#world
    switch (effect.kind) {
      case 'connect':
        this.#connect(effect.connection)
        break
      case 'send':
        this.#world.invariants.frameSent(this, effect.text)
        this.#sockets.get(effect.connection)?.send('agent', effect.text)
        break
      case 'close':
        this.#sockets.get(effect.connection)?.close('agent', effect.code, effect.reason)
        break
      case 'set-timer': {
        const { timer, fromMs, toMs } = effect
        this.process.setTimer(timer, random.between(fromMs, toMs), () => this.step({ kind: 'timer', timer }))
        break
      }
      case 'cancel-timer':
        this.process.cancelTimer(effect.timer)
        break
      case 'sign':
        this.#answer({ kind: 'signed', connection: effect.connection, signature: 'AAAA' })
        break
      case 'compare-tag':
        this.#answer({
          kind: 'tag-compared',
          connection: effect.connection,
          isSame: this.disk.events[effect.seq - 1]?.tag === effect.tag,
        })
        break
      case 'read-events': {
        const { connection, most } = effect
        this.process.later(random.between(0, 5), () => {
          // Retention may have removed the requested events, and a read may return fewer events than requested.
          const from = Math.max(effect.from, this.disk.first)
          const events = this.disk.events.slice(from - 1, from + random.below(most))
          this.step({ kind: 'events-read', connection, from, events })
        })
        break
      }
      case 'record-mark':
        this.#world.invariants.markRecorded(this, effect.mark)
        this.#write(() => Object.assign(this.disk, { mark: effect.mark, streamId: effect.streamId }))
        break
      case 'journal-commands':
        this.#journal(effect)
        break
      case 'replace-journal':
        this.#replaceJournal(effect.provenMark)
        break
      case 'connected':
        this.isTrusted = true
        this.#world.invariants.welcomed(this, effect.welcome.mark)
        this.#sendNext()
        break
      case 'stopped':
        this.isTrusted = false
        break
      default:
        break
    }
  }

  #connect(connection: number): void {
    const socket = this.#world.openSocket({
      received: (text) => this.process.now(() => this.step({ kind: 'received', connection, text })),
      closed: (code, reason) => this.process.now(() => this.step({ kind: 'closed', connection, code, reason })),
    })
    if (socket === undefined) {
      const isProxied = this.#world.random.happens(0.3)
      this.process.later(1, () => this.step({ kind: 'unreachable', connection, reason: '', isProxied }))
      return
    }
    this.#sockets.set(connection, socket)
    this.step({ kind: 'opened', connection })
  }

  #journal({ commands, journalId }: AgentEffect & { kind: 'journal-commands' }): void {
    this.#write(
      () => {
        if (journalId !== this.disk.journalId) return undefined
        for (const taken of commands) {
          const cmdId = 'command' in taken ? taken.command.cmdId : taken.cmdId
          const result = journalCommand(this.disk, taken)
          if (result) this.#addResult(result, cmdId)
        }
        const keys = commands.map((taken) =>
          'command' in taken ? `${taken.command.kind}:${taken.command.cmdId}` : taken.key,
        )
        return { kind: 'commands-journaled', keys, open: openSends(this.disk) }
      },
      () => this.#sendNext(),
    )
  }

  #replaceJournal(provenMark: number): void {
    this.isTrusted = false
    this.#write(() => {
      const { disk } = this
      this.#world.invariants.journalReplaced(this)
      const unproven = disk.events.slice(Math.max(provenMark, disk.first - 1))
      Object.assign(disk, { replaces: disk.journalId, journalId: `journal${this.#world.number()}`, mark: 0, first: 1 })
      disk.events.length = 0
      for (const { text } of unproven) this.#appendText(text)
      for (const { cmdId, result } of putInDoubt(disk, ['received', 'committed'])) this.#addResult(result, cmdId)
      return {
        kind: 'journal-replaced',
        journal: { id: disk.journalId, replaces: disk.replaces },
        marks: this.#marks(),
        open: 0,
      }
    })
  }

  /** For one message after the other: writes COMMIT to disk, sends the message by radio, then writes RESULT to disk. */
  #sendNext(): void {
    const { disk } = this
    const next = [...disk.commands].find(([, { state }]) => state === 'received')
    if (this.#isSending || !this.isTrusted || next === undefined) return
    const [cmdId, record] = next
    this.#isSending = true
    let isCommitted = false
    this.#write(
      () => {
        isCommitted = this.isTrusted && record.state === 'received'
        if (isCommitted) record.state = 'committed'
      },
      () => {
        if (isCommitted) this.#world.invariants.transmitted(cmdId, this)
        if (!this.#world.mayContinue(this)) return
        this.#write(
          () => {
            if (isCommitted && record.state === 'committed') {
              this.#addResult(endSend(record, { kind: 'sent' }), cmdId)
            }
            return { kind: 'queue-changed', queue: { open: openSends(disk) } }
          },
          () => {
            this.#isSending = false
            this.#sendNext()
          },
        )
      },
    )
  }

  /** Writes one change after the other. The state machine receives the input when the change is on disk. */
  #write(change: () => AgentInput | unknown, then: () => void = () => undefined): void {
    const { time, random, schedule } = this.#world
    const takesMs = schedule.hasSlowDisks && random.happens(0.02) ? 5_000 : random.between(0, 20)
    this.#diskFreeAtMs = Math.max(this.#diskFreeAtMs, time.nowMs) + takesMs
    this.process.later(this.#diskFreeAtMs - time.nowMs, () => {
      const tail = this.disk.events.length
      const journalId = this.disk.journalId
      const input = change()
      this.#world.invariants.written(this)
      if (!this.#world.mayContinue(this)) return
      const isNewJournal = journalId !== this.disk.journalId
      if (isInput(input)) this.step(input)
      if (!isNewJournal && this.disk.events.length > tail) {
        this.step({ kind: 'events-appended', journalId, tail: this.disk.events.length })
      }
      then()
    })
  }

  #addResult(result: Result, cmdId: string): void {
    this.#append(eventOf(result, cmdId, this.#world.instant()))
  }

  #append(event: AgentEvent): void {
    this.#appendText(JSON.stringify(event))
  }

  #appendText(text: string): void {
    this.disk.events.push({ text, tag: `t${this.#world.number()}` })
  }

  #received(id: string): AgentEvent {
    const at = this.#world.instant()
    return { kind: 'received', id, receivedAt: at, sender: '1', simNumber: 1, type: 'SMS', text: 'x', parts: 1 }
  }

  #marks() {
    return { first: this.disk.first, tail: this.disk.events.length, mark: this.disk.mark }
  }

  /** Passes the answer to the state machine after a short delay. The connection may have changed by then. */
  #answer(input: AgentInput): void {
    this.process.later(this.#world.random.between(0, 5), () => this.step(input))
  }
}

function isInput(value: unknown): value is AgentInput {
  return typeof value === 'object' && value !== null && 'kind' in value
}
