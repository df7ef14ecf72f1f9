import { answer, type Command, type CommandTable, error, ok } from '../command.ts'
import type { RegistrationCommand } from '../settings.ts'

/** CREG, CGREG, CEREG, C5GREG: 27.007 §7.2, §10.1.20, §10.1.22, §10.1.47. */
export const registrationCommands: CommandTable = {
  '+CREG': registration('+CREG'),
  '+CGREG': registration('+CGREG'),
  '+CEREG': registration('+CEREG'),
  '+C5GREG': registration('+C5GREG'),
}

function registration(name: RegistrationCommand): Command {
  return {
    test: () => answer(`${name}: (0-2)`),
    read: ({ radio, settings }) => {
      const level = settings.registrationReports[name]
      return answer(`${name}: ${level},${radio.report(name, level)}`)
    },
    set: ({ radio, settings }, parameters) => {
      const level = parameters.number(0, 0)
      if (![0, 1, 2].includes(level)) return error
      settings.registrationReports[name] = level
      radio.reportsSet(name)
      return ok
    },
    execute: ({ settings }) => {
      settings.registrationReports[name] = 0
      return ok
    },
  }
}
