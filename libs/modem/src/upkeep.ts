import type { Cancellation } from './cancellation.ts'
import type { Clock } from './clock.ts'

/** What is done in the background while a modem is set up. */
export interface Upkeep {
  readonly clock: Clock
  readonly cancellation: Cancellation
  readonly timing: { readonly registrationPollMs: number; readonly registeredPollMs: number; readonly signalMs: number }
  readonly sweepMs: number
  readonly isRegistered: () => boolean
  readonly lookAtRegistration: () => Promise<void>
  readonly sweep: () => void
  readonly measureSignal: () => Promise<void>
}

/**
 * Looks where the modem is registered, what has arrived and how good the signal is: unsolicited codes tell all of it and
 * get lost. None of it has anything to do with sending.
 */
export function keepLooking(upkeep: Upkeep): void {
  const { clock, cancellation, timing } = upkeep
  const registrationPauseMs = () => (upkeep.isRegistered() ? timing.registeredPollMs : timing.registrationPollMs)
  void upkeep.lookAtRegistration()
  repeat(clock, cancellation, registrationPauseMs, upkeep.lookAtRegistration)
  repeat(
    clock,
    cancellation,
    () => upkeep.sweepMs,
    async () => upkeep.sweep(),
  )
  void upkeep.measureSignal()
  repeat(clock, cancellation, () => timing.signalMs, upkeep.measureSignal)
}

/** Does the work again and again, with the pause in between, until cancelled. The pause may change from turn to turn. */
function repeat(clock: Clock, cancellation: Cancellation, pauseMs: () => number, work: () => Promise<unknown>): void {
  const next = () => {
    if (cancellation.cancelled) return
    const timer = clock.after(pauseMs(), () => {
      stopListening()
      if (!cancellation.cancelled) void work().then(next)
    })
    const stopListening = cancellation.onCancelled(() => timer.cancel())
  }
  next()
}
