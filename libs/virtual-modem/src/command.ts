import type { MobileEquipment } from './mobile-equipment.ts'
import type { Parameters } from './parameters.ts'
import type { ResultCode } from './result-code.ts'

/** What a command comes to. */
export type Outcome = Finished | Pending | Asking

/** Information lines, then the result. */
export interface Finished {
  readonly kind: 'finished'
  readonly lines: readonly string[]
  readonly result: ResultCode
}

/** The answer comes when `finish` is called, which may be at once. */
export interface Pending {
  readonly kind: 'pending'
  readonly start: (finish: (outcome: Outcome) => void) => void
  /** Any byte from the host ends it (V.250 §5.6.1). */
  readonly abort?: () => void
}

/** A prompt; what the host types up to Ctrl-Z goes to `given`. */
export interface Asking {
  readonly kind: 'asking'
  /** In text mode every line gets a prompt of its own. */
  readonly text: boolean
  readonly given: (data: string) => Outcome
}

export type Handler = (modem: MobileEquipment, parameters: Parameters) => Outcome

/** The forms a command has; asking for another one is an ERROR. */
export interface Command {
  readonly test?: Handler
  readonly read?: Handler
  readonly set?: Handler
  readonly execute?: Handler
  /**
   * What must be ready first. `sim`: a card, even a locked one. `unlocked`: a card that has its PIN. `sms`: also the
   * message service has come up. Default: nothing.
   */
  readonly needs?: 'sim' | 'unlocked' | 'sms'
}

export type CommandTable = Readonly<Record<string, Command>>

export const ok: Finished = { kind: 'finished', lines: [], result: 'OK' }
export const error: Finished = { kind: 'finished', lines: [], result: 'ERROR' }
export const silence: Finished = { kind: 'finished', lines: [], result: 'silence' }

export function answer(...lines: readonly string[]): Finished {
  return { kind: 'finished', lines, result: 'OK' }
}

export function fail(result: ResultCode): Finished {
  return { kind: 'finished', lines: [], result }
}

export function cmeError(cme: number): Finished {
  return fail({ cme })
}

export function cmsError(cms: number): Finished {
  return fail({ cms })
}

export function pending(start: Pending['start'], abort?: () => void): Pending {
  return abort ? { kind: 'pending', start, abort } : { kind: 'pending', start }
}
