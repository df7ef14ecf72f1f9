import type { StartupStage } from './startup/startup-context.ts'
import type { StartupFailure } from './startup/startup-failure.ts'

/**
 * absent → probing → identifying → sim → registering → ready ⇄ degraded
 *
 * `blocked` stands beside the way: setting up ended with a reason, and is begun again now and then. Every sign that the
 * modem has restarted leads back to `probing`, a lost port to `absent`.
 */
export type ModemState =
  | { readonly name: 'absent'; readonly why: string }
  | { readonly name: StartupStage }
  | { readonly name: 'blocked'; readonly failure: StartupFailure }
  | { readonly name: 'registering' }
  | { readonly name: 'ready' }
  | { readonly name: 'degraded'; readonly reasons: readonly Degradation[] }

export type Degradation =
  /** Was registered and is not any more. */
  | 'not-registered'
  /** Could not be brought back in step. */
  | 'not-answering'
  /** Nothing more can arrive until something has been deleted. */
  | 'storage-full'

/** What the state is derived from. */
export interface ModemFacts {
  readonly absent: string | undefined
  readonly setUp: StartupStage | StartupFailure | 'done'
  readonly registered: boolean
  /** Since it was set up. */
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
