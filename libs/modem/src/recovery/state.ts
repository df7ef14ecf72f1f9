import type { ModemState } from '../modem-state.ts'
import type { StartupFailure } from '../setup/startup-failure.ts'
import type { RecoveryBudget, RecoveryBudgetOptions } from './budget.ts'
import type { Rung } from './ladder.ts'

/** Every state except `healthy` has a deadline. When it has passed, the caller must call `next` with `time`. */
export type RecoveryState =
  | Healthy
  /** No port is open. The port is being opened now, or will be opened after a pause or when a device appears. */
  | (Unhealthy & { readonly kind: 'away'; readonly doing: 'opening' | 'waiting' })
  /**
   * The port is open and the modem is being set up. A successful setup proves that the modem works. `begun`: the modem
   * has reported a setup stage.
   */
  | (Unhealthy & { readonly kind: 'starting'; readonly begun: boolean })
  | (Unhealthy & { readonly kind: 'resynchronising' })
  /** Waits until the next reset is allowed. */
  | (Unhealthy & { readonly kind: 'resting' })
  | (Unhealthy & { readonly kind: 'resetting' })
  /** The reset was written. The port may close, and the modem needs time to start. */
  | (Unhealthy & { readonly kind: 'returning' })
  | Alarmed

export interface Healthy {
  readonly kind: 'healthy'
  readonly sinceMs: number
  /** True if the modem is registered, so that messages can be sent. */
  readonly service: boolean
  /** The time from which the missing network counts as a failure; undefined while there is a network. */
  readonly deadlineMs: number | undefined
  /**
   * The last failure from which the modem recovered. If the modem fails again soon, the remedies that were already
   * tried for this failure are skipped.
   */
  readonly before: ModemOutage | undefined
  readonly budget: RecoveryBudget
  readonly attempt: number
}

export interface Unhealthy {
  readonly outage: ModemOutage
  readonly deadlineMs: number
  readonly budget: RecoveryBudget
  /** The number of the last request. Outcomes with other numbers are too late. */
  readonly attempt: number
}

/** Checks periodically whether the modem works; never resets it. */
export interface Alarmed extends Unhealthy {
  readonly kind: 'alarm'
  readonly cause: AlarmCause
  readonly doing: 'waiting' | 'opening' | 'starting'
  readonly portOpen: boolean
}

export interface ModemOutage {
  readonly sinceMs: number
  /** The evidence that the modem has recovered. */
  readonly goal: 'answer' | 'service'
  /** The remedy that is being tried. */
  readonly rung: Rung | undefined
  /** The remedies that did not help, or helped only for a short time. */
  readonly tried: readonly Rung[]
  /** True if the modem answered during the last attempt. */
  readonly heard: boolean
  /** The time at which the port was lost; not set if a reset caused the loss. */
  readonly awaySinceMs: number | undefined
  /** The observations, oldest first. */
  readonly evidence: readonly Evidence[]
}

export interface Evidence {
  readonly atMs: number
  readonly step: RecoveryState['kind']
  readonly rung: Rung | undefined
  /** A description of the evidence, for people and logs. */
  readonly found: string
}

export type AlarmCause =
  /** The problem is the SIM, the PIN or a wrong port, so only a person can solve it. */
  | { readonly kind: 'needs-hands'; readonly failure: StartupFailure }
  /** The device exists but cannot be used, for example because of another program or missing permissions. */
  | { readonly kind: 'port-refused'; readonly words: string }
  | { readonly kind: 'gone'; readonly words: string }
  /** Every allowed remedy was tried. */
  | { readonly kind: 'no-remedy'; readonly words: string }

export type RecoveryInput = { readonly atMs: number } & RecoveryNews

export type RecoveryNews =
  /** The modem has a new state. */
  | { readonly kind: 'modem'; readonly state: ModemState }
  /** A device with the identity of this modem has appeared on the bus. */
  | { readonly kind: 'device-appeared' }
  /** A person wants the modem to be reset. */
  | { readonly kind: 'restart-requested' }
  | { readonly kind: 'opened'; readonly attempt: number }
  /** `absent`: there is no such device, but it may return. `refused`: the device exists but cannot be used. */
  | {
      readonly kind: 'not-opened'
      readonly attempt: number
      readonly problem: 'absent' | 'refused'
      readonly words: string
    }
  | { readonly kind: 'in-step'; readonly attempt: number }
  | { readonly kind: 'out-of-step'; readonly attempt: number; readonly heard: boolean }
  | { readonly kind: 'reset-written'; readonly attempt: number }
  /** `words`: a description of the action or of its failure. */
  | { readonly kind: 'power-cycled'; readonly attempt: number; readonly words: string }
  | { readonly kind: 'time' }

export type RecoveryEffect =
  /** Open the port; an open port is closed first. Ends with `opened` or `not-opened`. */
  | { readonly kind: 'open-port'; readonly attempt: number }
  /** Resynchronise with the modem. Ends with `in-step` or `out-of-step`. */
  | { readonly kind: 'resynchronise'; readonly attempt: number }
  /**
   * No input reports the result of `set-up` or `restart-radio`. The next states of the modem show whether it helped.
   */
  | { readonly kind: 'set-up'; readonly attempt: number }
  | { readonly kind: 'restart-radio'; readonly attempt: number }
  /** Reset the modem. Ends with `reset-written`. */
  | { readonly kind: 'reset'; readonly attempt: number }
  /** Ends with `power-cycled`. */
  | { readonly kind: 'power-cycle'; readonly attempt: number }
  /** Report an alarm. Repeated when the cause changes. */
  | { readonly kind: 'raise-alarm'; readonly cause: AlarmCause; readonly evidence: readonly Evidence[] }
  | { readonly kind: 'clear-alarm' }
  /** `by` is undefined if the modem recovered on its own. */
  | {
      readonly kind: 'healed'
      readonly by: Rung | undefined
      readonly tookMs: number
      readonly evidence: readonly Evidence[]
    }

export interface RecoveryStep {
  readonly state: RecoveryState
  readonly effects: readonly RecoveryEffect[]
}

export interface RecoveryOptions extends RecoveryBudgetOptions {
  readonly openLimitMs: number
  /** The interval between checks for a missing device. */
  readonly awayLookMs: number
  /** How long the device may be missing before an alarm is raised. */
  readonly awayLimitMs: number
  readonly resynchroniseLimitMs: number
  readonly startLimitMs: number
  readonly resetLimitMs: number
  /** The pause between reset and setup. A modem that answers during this pause has not shut down yet. */
  readonly settleMs: number
  /** How long a modem that is set up may be without a network. */
  readonly serviceLimitMs: number
  /** A failure within this time after the last failure counts as the same failure. */
  readonly relapseMs: number
  readonly alarmLookMs: number
  /** True if the settings configure how the modem is switched off and on. The power cycle is then the last remedy. */
  readonly mayPowerCycle: boolean
}

export const defaultRecoveryOptions: RecoveryOptions = {
  mostResets: 3,
  earnedBackAfterMs: 3_600_000,
  resetPausesMs: [120_000, 600_000],
  openLimitMs: 15_000,
  awayLookMs: 2_000,
  awayLimitMs: 120_000,
  resynchroniseLimitMs: 90_000,
  startLimitMs: 300_000,
  resetLimitMs: 90_000,
  settleMs: 10_000,
  serviceLimitMs: 600_000,
  relapseMs: 600_000,
  alarmLookMs: 30_000,
  mayPowerCycle: false,
}
