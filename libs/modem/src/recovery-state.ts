import type { ModemState } from './modem-state.ts'
import type { RecoveryBudget, RecoveryBudgetOptions } from './recovery-budget.ts'
import type { Rung } from './recovery-ladder.ts'
import type { StartupFailure } from './startup/startup-failure.ts'

/** Every state but `healthy` has a deadline; `next` is to be called with `time` when it has passed. */
export type RecoveryState =
  | Healthy
  /** There is no port: it is being opened, or it could not be and is tried again shortly, or when a device appears. */
  | (Troubled & { readonly kind: 'away'; readonly doing: 'opening' | 'waiting' })
  /** The port is open and the modem is being set up, which proves that it is well. `begun`: it has said so itself. */
  | (Troubled & { readonly kind: 'starting'; readonly begun: boolean })
  | (Troubled & { readonly kind: 'resynchronising' })
  /** The next reset is not allowed yet. */
  | (Troubled & { readonly kind: 'resting' })
  | (Troubled & { readonly kind: 'resetting' })
  /** It was told to reset; it may take its port with it, and it needs a while. */
  | (Troubled & { readonly kind: 'returning' })
  | Alarmed

export interface Healthy {
  readonly kind: 'healthy'
  readonly sinceMs: number
  /** Registered, so that messages can go out. */
  readonly service: boolean
  /** When the lack of service counts as trouble; undefined with service. */
  readonly deadlineMs: number | undefined
  /** What it was healed of last: soon after, its rungs are not tried again. */
  readonly before: Trouble | undefined
  readonly budget: RecoveryBudget
  readonly attempt: number
}

export interface Troubled {
  readonly trouble: Trouble
  readonly deadlineMs: number
  readonly budget: RecoveryBudget
  /** Counts what was asked for; an outcome that carries another number came too late. */
  readonly attempt: number
}

/** Looks now and then whether the modem works, and never resets it. */
export interface Alarmed extends Troubled {
  readonly kind: 'alarm'
  readonly cause: AlarmCause
  readonly doing: 'waiting' | 'opening' | 'starting'
  readonly portOpen: boolean
}

export interface Trouble {
  readonly sinceMs: number
  /** What has to be seen to call it healed. */
  readonly goal: 'answer' | 'service'
  /** What is being tried now. */
  readonly rung: Rung | undefined
  /** What did not help, or not for long. */
  readonly tried: readonly Rung[]
  /** Whether the modem was heard when it was last tried. */
  readonly heard: boolean
  /** Since when the port has been gone without our doing. */
  readonly awaySinceMs: number | undefined
  /** What was found, oldest first. */
  readonly evidence: readonly Evidence[]
}

export interface Evidence {
  readonly atMs: number
  readonly step: RecoveryState['kind']
  readonly rung: Rung | undefined
  /** For people and logs: what was heard or seen. */
  readonly found: string
}

export type AlarmCause =
  /** SIM, PIN, wrong port: nothing that a program can mend. */
  | { readonly kind: 'needs-hands'; readonly failure: StartupFailure }
  /** The device is there and may not be used: another program, permissions. */
  | { readonly kind: 'port-refused'; readonly words: string }
  | { readonly kind: 'gone'; readonly words: string }
  /** Everything that is allowed has been tried. */
  | { readonly kind: 'no-remedy'; readonly words: string }

export type RecoveryInput = { readonly atMs: number } & RecoveryNews

export type RecoveryNews =
  /** Each new state of the modem. */
  | { readonly kind: 'modem'; readonly state: ModemState }
  /** A device with the identity of this modem has appeared on the bus. */
  | { readonly kind: 'device-appeared' }
  | { readonly kind: 'opened'; readonly attempt: number }
  /** `absent`: no such device, it may come back. `refused`: it is there and cannot be used. */
  | {
      readonly kind: 'not-opened'
      readonly attempt: number
      readonly problem: 'absent' | 'refused'
      readonly words: string
    }
  | { readonly kind: 'in-step'; readonly attempt: number }
  | { readonly kind: 'out-of-step'; readonly attempt: number; readonly heard: boolean }
  | { readonly kind: 'reset-written'; readonly attempt: number }
  | { readonly kind: 'time' }

export type RecoveryEffect =
  /** Gives the port up first, if one is open. Ends with `opened` or `not-opened`. */
  | { readonly kind: 'open-port'; readonly attempt: number }
  /** Ends with `in-step` or `out-of-step`. */
  | { readonly kind: 'resynchronise'; readonly attempt: number }
  /** How it ends is told by the states of the modem, as with the next one. */
  | { readonly kind: 'set-up'; readonly attempt: number }
  | { readonly kind: 'restart-radio'; readonly attempt: number }
  /** Ends with `reset-written`. */
  | { readonly kind: 'reset'; readonly attempt: number }
  /** Raised anew when the cause changes. */
  | { readonly kind: 'raise-alarm'; readonly cause: AlarmCause; readonly evidence: readonly Evidence[] }
  | { readonly kind: 'clear-alarm' }
  /** `by` undefined: it came back by itself. */
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
  /** How often a device that is gone is looked for. */
  readonly awayLookMs: number
  /** How long it may be gone until somebody is told. */
  readonly awayLimitMs: number
  readonly resynchroniseLimitMs: number
  readonly startLimitMs: number
  readonly resetLimitMs: number
  /** Between the reset and setting up again: a modem that answers in this time is still on its way down. */
  readonly settleMs: number
  /** How long a modem that is set up may be without a network. */
  readonly serviceLimitMs: number
  /** A trouble so soon after the last one counts as the same. */
  readonly relapseMs: number
  readonly alarmLookMs: number
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
}
