import { type EnteredPin, type PinMemory, resultOf } from './pin-memory.ts'
import { type StartupFailure, startupFailure } from './startup-failure.ts'

/** The permission to enter a PIN once. The PIN is recorded as entered before it is written to the modem. */
export interface PinAttempt {
  readonly entered: EnteredPin
  /** Restores the earlier record, because the PIN was certainly not entered. */
  takeBack(): Promise<void>
}

/**
 * Decides whether a PIN may be entered, for every kind of modem: never as the last attempt, never if the number of
 * attempts left is unknown, and never again after the same SIM refused the PIN. `tries` is the number of attempts left.
 */
export async function beginPinAttempt(
  pinMemory: PinMemory,
  sim: string | null,
  pin: string,
  tries: number | undefined,
): Promise<PinAttempt | StartupFailure> {
  const before = pinMemory.find(sim, pin)
  if (before !== undefined) {
    const result = resultOf(before, tries)
    if (result === 'refused') await pinMemory.note({ ...before, verdict: result })
    if (result === 'refused') return startupFailure('pin-wrong', undefined, tries)
    if (result === 'spent') return startupFailure('pin-not-taken', undefined, tries)
  }
  if (tries === undefined) return startupFailure('pin-tries-unknown')
  if (tries <= 1) return startupFailure('pin-last-try', undefined, tries)
  const entered: EnteredPin = { sim, pin, verdict: 'open', entries: (before?.entries ?? 0) + 1, triesBefore: tries }
  const takeBack = async () => {
    if (before === undefined) await pinMemory.forget(sim, pin)
    else await pinMemory.note({ ...before, sim })
  }
  // Stores a record before the PIN is written, so that the PIN counts as entered even if the answer, the port or this
  // process is lost.
  if (await pinMemory.note(entered)) return { entered, takeBack }
  await takeBack()
  return startupFailure('pin-not-kept')
}
