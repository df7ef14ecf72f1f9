import type { Cancellation } from '../cancellation.ts'
import type { Clock } from '../clock.ts'
import { type Executor, type Query, type QueryAnswer, runQuery } from '../commands/query.ts'
import { pinStateOfError } from '../commands/sim/sim-pin.ts'
import type { Dialogue } from '../dialogue/dialogue.ts'
import type { Pause } from '../pause.ts'
import type { Profile } from '../profiles/profile.ts'
import type { PinMemory } from './pin-memory.ts'

/** The common parameters of all setup steps. */
export interface StartupContext {
  readonly dialogue: Pick<Dialogue, 'resynchronise' | 'learn' | 'telemetry' | 'writeRaw'> & Executor
  readonly clock: Clock
  /** Cancelled when setup must stop, because the driver was stopped or the modem has restarted. */
  readonly cancellation: Cancellation
  /** Woken when the modem sends a line that may end the wait. */
  readonly pause: Pause
  readonly options: StartupOptions
  readonly pinMemory: PinMemory
  readonly onStage: (stage: StartupStage) => void
  /** Called before the first command that needs the SIM, with the profile chosen so far. */
  readonly onProfile: (profile: Profile) => void
}

export type StartupStage = 'probing' | 'identifying' | 'sim'

export interface StartupOptions {
  readonly simPin: string | undefined
  readonly catalogue: readonly Profile[]
  /** `12d1:1506`, if the port belongs to a USB device. */
  readonly usb: string | undefined
  /** The interval between checks of a SIM that is busy or absent. */
  readonly simPollMs: number
  /** How long setup waits for a busy SIM. */
  readonly simBusyLimitMs: number
}

/** Repeats the query while the SIM, or a service that depends on the SIM, is busy. */
export async function askPatiently<T>(context: StartupContext, query: Query<T>): Promise<QueryAnswer<T>> {
  const until = context.clock.nowMs() + context.options.simBusyLimitMs
  for (;;) {
    const answer = await runQuery(context.dialogue, query, context.cancellation)
    if (answer.kind !== 'refused' || !isBusy(answer) || context.clock.nowMs() >= until) return answer
    await context.pause.wait(context.options.simPollMs, context.cancellation)
  }
}

/** SIM busy (CME 14, CMS 314), initialisation in progress (515), and other temporary errors. */
function isBusy<T>(answer: QueryAnswer<T> & { kind: 'refused' }): boolean {
  return pinStateOfError(answer.error) === 'busy' || answer.error.class === 'temporary'
}
