import type { StartupOutcome } from './startup.ts'
import type { StartupFailureReason } from './startup-failure.ts'

/** The PIN that the driver enters at each setup. All `Modem` objects of one modem share it. */
export class SimPin {
  value: string | undefined

  constructor(value?: string) {
    this.value = value
  }

  /**
   * Enters a PIN that a person typed for the present SIM. If this SIM does not accept the PIN, restores the previous
   * value, so that the PIN is never entered into another SIM.
   */
  async useOnce<T extends StartupOutcome | undefined>(pin: string, enter: () => Promise<T>): Promise<T> {
    const before = this.value
    const outcome = await enter()
    if (outcome?.kind === 'failed' && notAccepted.has(outcome.failure.reason) && this.value === pin) this.value = before
    return outcome
  }
}

/** The reasons after which the PIN certainly did not unlock the SIM. After a lost port, the result is unknown. */
const notAccepted: ReadonlySet<StartupFailureReason> = new Set([
  'pin-malformed',
  'pin-tries-unknown',
  'pin-last-try',
  'pin-wrong',
  'pin-not-taken',
  'pin-not-kept',
  'puk-required',
])
