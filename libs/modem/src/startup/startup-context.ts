import type { Cancellation } from '../cancellation.ts'
import type { Clock } from '../clock.ts'
import type { MessageBearer } from '../commands/message-settings.ts'
import { type Answer, ask, type Executor, type Query } from '../commands/query.ts'
import { pinStateOfError } from '../commands/sim-pin.ts'
import type { Dialogue } from '../dialogue.ts'
import type { Pause } from '../pause.ts'
import type { Profile } from '../profiles/profile.ts'
import type { PinMemory } from './pin-memory.ts'

/** What every step of a start works with. */
export interface StartupContext {
  readonly dialogue: Pick<Dialogue, 'resynchronise' | 'learn' | 'telemetry' | 'writeRaw'> & Executor
  readonly clock: Clock
  /** Set when the start is to be given up: stopped, or the modem has restarted meanwhile. */
  readonly cancellation: Cancellation
  /** Woken when the modem says something that may be what is waited for. */
  readonly pause: Pause
  readonly options: StartupOptions
  readonly pinMemory: PinMemory
  readonly say: (stage: StartupStage) => void
}

export type StartupStage = 'probing' | 'identifying' | 'sim'

export interface StartupOptions {
  readonly simPin: string | undefined
  /** Whether the PIN may be entered, once, when the modem does not tell how many tries are left. */
  readonly enterPinUnseen: boolean
  readonly catalogue: readonly Profile[]
  /** `12d1:1506`, where the port belongs to a USB device. */
  readonly usb: string | undefined
  /** For a SIM that has none. */
  readonly serviceCentre: string | undefined
  /** Undefined: the modem is left as it is. */
  readonly messageBearer: MessageBearer | undefined
  /** How long it may take until the modem answers at all. */
  readonly contactLimitMs: number
  /** How often a SIM that is busy or absent is asked again. */
  readonly simPollMs: number
  /** How long the SIM may be busy. */
  readonly simBusyLimitMs: number
  /** How long a modem that has just started may say that there is no SIM before it is believed. */
  readonly simAbsentLimitMs: number
}

/** Asks again while the SIM, or what needs it, is busy. */
export async function askPatiently<T>(context: StartupContext, query: Query<T>): Promise<Answer<T>> {
  const until = context.clock.nowMs() + context.options.simBusyLimitMs
  for (;;) {
    const answer = await ask(context.dialogue, query, context.cancellation)
    if (answer.kind !== 'refused' || !isBusy(answer) || context.clock.nowMs() >= until) return answer
    await context.pause.wait(context.options.simPollMs, context.cancellation)
  }
}

/** SIM busy (CME 14, CMS 314), initialisation in progress (515), and what else passes by itself. */
function isBusy<T>(answer: Answer<T> & { kind: 'refused' }): boolean {
  return pinStateOfError(answer.error) === 'busy' || answer.error.class === 'temporary'
}
