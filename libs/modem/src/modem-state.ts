import type { StartupStage } from './setup/startup-context.ts'
import type { StartupFailure } from './setup/startup-failure.ts'

/**
 * absent → probing → identifying → sim → registering → ready ⇄ degraded.
 *
 * `blocked`: setup failed with a reason and is repeated periodically. A sign that the modem has restarted leads back to
 * `probing`, and a lost port leads to `absent`.
 */
export type ModemState =
  | { readonly name: 'absent'; readonly why: string }
  | { readonly name: StartupStage }
  | { readonly name: 'blocked'; readonly failure: StartupFailure }
  | { readonly name: 'registering' }
  | { readonly name: 'ready' }
  | { readonly name: 'degraded'; readonly reasons: readonly Degradation[] }

export type Degradation =
  /** The modem was registered, and is not registered now. */
  | 'not-registered'
  /** Resynchronisation failed. */
  | 'not-answering'
  /** The memory is full, so no more messages can arrive until a message is deleted. */
  | 'storage-full'

/** The facts from which the state is derived. */
export interface ModemFacts {
  readonly absent: string | undefined
  readonly setUp: StartupStage | StartupFailure | 'done'
  readonly registered: boolean
  /** True if the modem was registered at any time since setup. */
  readonly wasRegistered: boolean
  readonly answering: boolean
  readonly storageFull: boolean
}

export function deriveState(facts: ModemFacts): ModemState {
  if (facts.absent !== undefined) return { name: 'absent', why: facts.absent }
  if (typeof facts.setUp === 'object') return { name: 'blocked', failure: facts.setUp }
  if (facts.setUp !== 'done') return { name: facts.setUp }
  const reasons: Degradation[] = []
  if (!facts.answering) reasons.push('not-answering')
  if (!facts.registered && facts.wasRegistered) reasons.push('not-registered')
  if (facts.storageFull) reasons.push('storage-full')
  if (reasons.length > 0) return { name: 'degraded', reasons }
  return facts.registered ? { name: 'ready' } : { name: 'registering' }
}

export function sameState(a: ModemState, b: ModemState): boolean {
  if (a.name !== b.name) return false
  if (a.name === 'degraded' && b.name === 'degraded') return a.reasons.join() === b.reasons.join()
  if (a.name === 'blocked' && b.name === 'blocked') {
    return a.failure.reason === b.failure.reason && a.failure.triesLeft === b.failure.triesLeft
  }
  return true
}
