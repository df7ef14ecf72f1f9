import type { MobileEquipment } from '../equipment/mobile-equipment.ts'
import type { CommandParameters } from '../wire/parameters.ts'
import type { ResultCode } from '../wire/result-code.ts'

/** The result of a command. */
export type Outcome = Finished | Pending | Asking

/** Information lines and the final result. */
export interface Finished {
  readonly kind: 'finished'
  readonly lines: readonly string[]
  readonly result: ResultCode
}

/** Answers when `finish` is called, which may happen at once. */
export interface Pending {
  readonly kind: 'pending'
  readonly start: (finish: (outcome: Outcome) => void) => void
  /** Called when a byte from the host aborts the command (V.250 §5.6.1). */
  readonly abort?: () => void
}

/** Opens a prompt; `given` receives the input of the host up to Ctrl-Z. */
export interface Asking {
  readonly kind: 'asking'
  /** True in text mode, in which the modem sends a prompt for every line. */
  readonly text: boolean
  readonly given: (data: string) => Outcome
}

export type FormHandler = (modem: MobileEquipment, parameters: CommandParameters) => Outcome

/** The forms of a command; any other form is an ERROR. */
export interface CommandHandlers {
  readonly test?: FormHandler
  readonly read?: FormHandler
  readonly set?: FormHandler
  readonly execute?: FormHandler
  /**
   * What the command requires. `sim`: a SIM, even a locked one. `unlocked`: an unlocked SIM. `sms`: an unlocked SIM and
   * a ready message service. Default: nothing.
   */
  readonly needs?: 'sim' | 'unlocked' | 'sms'
}

export type CommandTable = Readonly<Record<string, CommandHandlers>>

export const ok: Finished = { kind: 'finished', lines: [], result: 'OK' }
export const error: Finished = { kind: 'finished', lines: [], result: 'ERROR' }
export const silence: Finished = { kind: 'finished', lines: [], result: 'silence' }

export function answer(...lines: readonly string[]): Finished {
  return { kind: 'finished', lines, result: 'OK' }
}

export function failWith(result: ResultCode): Finished {
  return { kind: 'finished', lines: [], result }
}

export function cmeError(cme: number): Finished {
  return failWith({ cme })
}

export function cmsError(cms: number): Finished {
  return failWith({ cms })
}

export function pending(start: Pending['start'], abort?: () => void): Pending {
  return abort ? { kind: 'pending', start, abort } : { kind: 'pending', start }
}

/** Returns a command that answers with one line. */
export function answersLine(line: (modem: MobileEquipment) => string): CommandHandlers {
  return { test: () => answer(), execute: (modem) => answer(line(modem)) }
}

/**
 * Returns a setting without effect, which the host can read back. `accepts` matches valid values; `ranges` is the
 * answer to the test command.
 */
export function remembered(
  name: string,
  ranges: string,
  initial: string,
  accepts: RegExp = /^[0-9A-Za-z",.:;*#+ -]*$/,
  needs?: CommandHandlers['needs'],
): CommandHandlers {
  return {
    ...(needs && { needs }),
    test: () => answer(`${name}: ${ranges}`),
    read: (modem) => answer(`${name}: ${modem.settings.remembered.get(name) ?? initial}`),
    set: (modem, { raw }) => {
      if (raw.length > 200 || !accepts.test(raw)) return error
      modem.settings.remembered.set(name, raw)
      return ok
    },
  }
}

/** Returns a command that has no effect and answers OK. */
export const accepted: CommandHandlers = { test: () => ok, read: () => ok, set: () => ok, execute: () => ok }
