import { expect } from 'vitest'
import type { ModemState } from '../modem-state.ts'
import { beginRecovery } from '../recovery/moves.ts'
import { nextRecovery } from '../recovery/recovery.ts'
import {
  defaultRecoveryOptions as limits,
  type RecoveryEffect,
  type RecoveryNews,
  type RecoveryOptions,
  type RecoveryState,
} from '../recovery/state.ts'
import { type StartupFailureReason, startupFailure } from '../setup/startup-failure.ts'

export const probing: ModemState = { name: 'probing' }
export const identifying: ModemState = { name: 'identifying' }
export const registering: ModemState = { name: 'registering' }
export const readyState: ModemState = { name: 'ready' }
export const silentState: ModemState = { name: 'degraded', reasons: ['not-answering'] }
export const unregistered: ModemState = { name: 'degraded', reasons: ['not-registered'] }
export const lostState: ModemState = { name: 'absent', why: 'unplugged' }
export const blockedBy = (reason: StartupFailureReason): ModemState => ({
  name: 'blocked',
  failure: startupFailure(reason),
})

/** Plays the environment of one state machine. The outcomes contain the number of the last request. */
export class Patient {
  atMs = 0
  state: RecoveryState
  /** The effects that recovery has requested since the last call of a method. */
  asked: RecoveryEffect[] = []

  readonly #options: RecoveryOptions

  constructor(options: Partial<RecoveryOptions> = {}) {
    this.#options = { ...limits, ...options }
    const { state, effects } = beginRecovery(0, this.#options)
    this.state = state
    this.asked.push(...effects)
  }

  hears(state: ModemState): this {
    return this.#take({ kind: 'modem', state })
  }

  takes(news: RecoveryNews): this {
    return this.#take(news)
  }

  opens(): this {
    return this.#take({ kind: 'opened', attempt: this.state.attempt })
  }

  findsNoDevice(): this {
    return this.#take({ kind: 'not-opened', attempt: this.state.attempt, problem: 'absent', words: 'no such device' })
  }

  getsInStep(): this {
    return this.#take({ kind: 'in-step', attempt: this.state.attempt })
  }

  staysOutOfStep(heard = false): this {
    return this.#take({ kind: 'out-of-step', attempt: this.state.attempt, heard })
  }

  isTold(): this {
    return this.#take({ kind: 'reset-written', attempt: this.state.attempt })
  }

  isSwitched(words = 'switched off and on'): this {
    return this.#take({ kind: 'power-cycled', attempt: this.state.attempt, words })
  }

  waits(ms: number): this {
    this.atMs += ms
    return this.#take({ kind: 'time' })
  }

  /** Advances to the deadline, so that only time changes the state. */
  waitsItOut(): this {
    return this.waits(Math.max(0, (this.state.deadlineMs ?? this.atMs) - this.atMs))
  }

  /** Reports that the modem is set up and registered. */
  getsReady(): this {
    return this.hears(probing).hears(identifying).hears(readyState)
  }

  /** Repeats `step` until the machine is in the state `alarm`. */
  untilAlarm(step: (patient: this) => void): this {
    for (let steps = 0; this.state.kind !== 'alarm' && steps < 1000; steps += 1) step(this)
    expect(this.state.kind).toBe('alarm')
    return this
  }

  get lastAsked(): RecoveryEffect['kind'][] {
    const kinds = this.asked.map(({ kind }) => kind)
    this.asked = []
    return kinds
  }

  #take(news: RecoveryNews): this {
    const { state, effects } = nextRecovery(this.state, { ...news, atMs: this.atMs }, this.#options)
    this.state = state
    this.asked.push(...effects)
    return this
  }
}

export const looksInVain = (patient: Patient): void => {
  patient.findsNoDevice()
  if (patient.state.kind === 'away') patient.waitsItOut()
}

export const healthy = (options?: Partial<RecoveryOptions>) => {
  const patient = new Patient(options).opens().getsReady()
  patient.asked = []
  // After this time, another failure no longer counts as a relapse.
  return patient.waits(limits.relapseMs)
}
