import { answer, type Command, error, ok } from '../command.ts'

/**
 * A setting that is only kept: nothing in an emulated modem hangs on it, and the host reads back what it set.
 * `accepts` is what may be set; `ranges` what the test command says.
 */
export function remembered(
  name: string,
  ranges: string,
  initial: string,
  accepts: RegExp = /^[0-9A-Za-z",.:;*#+ -]*$/,
  needs?: Command['needs'],
): Command {
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

/** A command that changes nothing and says OK. */
export const accepted: Command = { test: () => ok, read: () => ok, set: () => ok, execute: () => ok }
