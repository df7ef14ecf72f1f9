import type { StartupFailureReason } from './startup-failure.ts'

/** The PIN that the driver enters at each setup. All `Modem` objects of one modem share it. */
export class SimPin {
  value: string | undefined
  /** Set while it is unknown whether the SIM accepts the PIN that a person typed: the PIN before that. */
  #before: { readonly value: string | undefined } | undefined

  constructor(value?: string) {
    this.value = value
  }

  /** Uses this PIN from now on. */
  use(pin: string): void {
    this.value = pin
    this.#before = undefined
  }

  /** Uses a PIN that a person typed for the present SIM, until a setup shows that this SIM does not accept it. */
  tryTyped(pin: string): void {
    this.#before ??= { value: this.value }
    this.value = pin
  }

  /** Must be called when a setup has succeeded. */
  accepted(): void {
    this.#before = undefined
  }

  /**
   * Must be called when a setup has failed. If the SIM does not accept a typed PIN, restores the previous PIN, so that
   * the typed PIN is never entered into another SIM.
   */
  failed(reason: StartupFailureReason): void {
    if (this.#before === undefined || !notAccepted.has(reason)) return
    this.value = this.#before.value
    this.#before = undefined
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
