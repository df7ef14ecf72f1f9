import type { Hello } from '@smsgw/contract/link/frame'
import { nextRelay } from '../src/relay/session.ts'
import { newConnection, type RelayEffect, type RelayInput, type RelayState } from '../src/relay/state.ts'
import type { StoreAnswer } from './model-store.ts'
import { Process } from './process.ts'
import type { Socket } from './socket.ts'
import type { LinkWorld } from './world.ts'

/** One run of a relay, with a state machine for each socket. All relays share one database. */
export class ModelRelay {
  readonly process: Process
  readonly #world: LinkWorld
  readonly #sessions = new Set<ModelSession>()
  #streamId: string

  constructor(world: LinkWorld) {
    this.#world = world
    this.#streamId = world.store.streamId
    this.process = new Process(world.time, world.random.between(0.7, 1.3))
    this.#poll()
  }

  get sessions(): Iterable<ModelSession> {
    return this.#sessions
  }

  accept(socket: Socket): void {
    const session = new ModelSession(this.#world, this, socket, () => this.#sessions.delete(session))
    this.#sessions.add(session)
    session.step({ kind: 'opened' })
  }

  /** Called when there may be commands to claim. If this hint is lost, `#poll` finds the commands. */
  wake(): void {
    for (const session of this.#sessions) session.step({ kind: 'wake' })
  }

  drain(reconnectAfterMs: number): void {
    for (const session of this.#sessions) session.step({ kind: 'drain', reconnectAfterMs })
  }

  /** Ends the process and its sockets. `isNoticed`: the agents are notified that the sockets have ended. */
  kill(isNoticed: boolean): void {
    this.process.kill()
    for (const { socket } of this.#sessions) socket.cut({ agent: isNoticed, relay: false })
  }

  #poll(): void {
    this.process.later(pollMs, () => {
      const { streamId } = this.#world.store
      if (streamId !== this.#streamId) for (const session of this.#sessions) session.step({ kind: 'restored' })
      this.#streamId = streamId
      this.wake()
      this.#poll()
    })
  }
}

const pollMs = 15_000

export class ModelSession {
  state: RelayState
  readonly socket: Socket
  /** The epoch that the store assigned to the connection. */
  connEpoch: number | undefined
  readonly #world: LinkWorld
  readonly #relay: ModelRelay
  readonly #process: Process
  readonly #onOver: () => void

  constructor(world: LinkWorld, relay: ModelRelay, socket: Socket, onOver: () => void) {
    this.#world = world
    const { process } = relay
    this.#relay = relay
    this.#process = process
    this.socket = socket
    this.#onOver = onOver
    this.state = newConnection({ relayId: 'relay', nonce: `nonce of session ${world.number()}`, window })
    socket.attach('relay', {
      received: (text) => process.now(() => this.step({ kind: 'received', text })),
      closed: (code) => process.now(() => this.step({ kind: 'closed', code })),
    })
  }

  step(input: RelayInput): void {
    const { state, effects } = nextRelay(this.state, input)
    this.#world.note('relay', input, state.phase.kind)
    this.state = state
    this.#world.invariants.relayStepped(this, input)
    for (const effect of effects) if (this.#world.mayContinue(this.#relay)) this.#do(effect)
    if (state.phase.kind === 'closed') this.#onOver()
  }

  #do(effect: RelayEffect): void {
    const { random, store } = this.#world
    switch (effect.kind) {
      case 'send':
        this.socket.send('relay', effect.text)
        break
      case 'close':
        this.socket.close('relay', effect.code, effect.reason)
        break
      case 'set-timer': {
        const { timer, fromMs, toMs } = effect
        const name = `${timer} ${this.state.relay.nonce}`
        this.#process.setTimer(name, random.between(fromMs, toMs), () => this.step({ kind: 'timer', timer }))
        break
      }
      case 'cancel-timer':
        this.#process.cancelTimer(`${effect.timer} ${this.state.relay.nonce}`)
        break
      case 'authenticate':
        this.#transact(() => ({ kind: 'authenticated' }), unavailable)
        break
      case 'open-connection':
        this.#open(effect.hello)
        break
      case 'store-events':
        this.#world.invariants.transacted(this, effect.connEpoch)
        this.#transact(() => this.#paced(store.storeEvents(effect.connEpoch, effect.journalId, effect.batch)), {
          kind: 'store-failed',
        })
        break
      case 'claim-commands': {
        const { connEpoch, journalId, isResume, room } = effect
        this.#world.invariants.transacted(this, connEpoch)
        this.#transact(() => store.claim(connEpoch, journalId, isResume, room), { kind: 'claim-failed' })
        break
      }
      case 'renew-lease':
        this.#transact(() => (store.isFenced(effect.connEpoch) ? { kind: 'fenced' } : undefined), undefined)
        break
      default:
        break
    }
  }

  /** Sometimes simulates that the store requests a pause, as it does for a device that reports all the time. */
  #paced(answer: StoreAnswer): RelayInput {
    const { random } = this.#world
    if (answer.kind !== 'events-stored') return answer
    return { ...answer, pauseMs: random.happens(0.3) ? random.between(1, 60) : 0 }
  }

  #open(hello: Hello): void {
    const { store } = this.#world
    this.#transact(() => {
      const opened = store.openConnection(hello)
      this.connEpoch = opened.connEpoch
      this.#world.sinceCopy.unreadWelcomes += 1
      return { kind: 'connection-opened', opened }
    }, unavailable)
  }

  /**
   * Runs a transaction. The transaction commits and answers later, fails without a commit, or commits without an
   * answer.
   */
  #transact(commit: () => RelayInput | undefined, failure: RelayInput | undefined): void {
    const { random, time } = this.#world
    const result = this.#world.transactionResult()
    time.after(databaseMs(this.#world), () => {
      // The relay was killed before the database received the transaction, so nothing is committed.
      if (!this.#process.isAlive) return
      const answer = result === 'refused' ? undefined : commit()
      if (!this.#world.mayContinue(this.#relay)) return
      const input = result === 'answered' ? answer : failure
      const takesMs = result === 'answered' ? random.between(0, 10) : 500
      if (input !== undefined) this.#process.later(takesMs, () => this.step(input))
    })
  }
}

const window = 16
const unavailable: RelayInput = { kind: 'refused', why: 'unavailable', reason: 'database unavailable' }

function databaseMs({ random, schedule }: LinkWorld): number {
  return schedule.hasSlowDisks && random.happens(0.03) ? random.between(0, 20_000) : random.between(0, 20)
}
