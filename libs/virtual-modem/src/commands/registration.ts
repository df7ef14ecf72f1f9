import type { RegistrationCommand } from '../equipment/settings.ts'
import { answer, type CommandHandlers, type CommandTable, error, ok } from './command.ts'

/** CREG, CGREG, CEREG, C5GREG: 27.007 §7.2, §10.1.20, §10.1.22, §10.1.47. */
export const registrationCommands: CommandTable = {
  '+CREG': registration('+CREG'),
  '+CGREG': registration('+CGREG'),
  '+CEREG': registration('+CEREG'),
  '+C5GREG': registration('+C5GREG'),
}

function registration(name: RegistrationCommand): CommandHandlers {
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

/** CSQ and CESQ: 27.007 §8.5, §8.69. */
export const signalCommands: CommandTable = {
  '+CSQ': {
    test: () => answer('+CSQ: (0-31,99),(0-7,99)'),
    execute: ({ radio }) => answer(`+CSQ: ${radio.signalQuality},${radio.coverage?.bitErrorRate ?? 99}`),
  },
  '+CESQ': {
    test: () => answer('+CESQ: (0-63,99),(0-7,99),(0-96,255),(0-49,255),(0-34,255),(0-97,255)'),
    execute: ({ radio }) => {
      const dbm = radio.signalDbm
      const technology = radio.coverage?.technology
      if (dbm === undefined || technology === undefined) return answer('+CESQ: 99,99,255,255,255,255')
      if (technology === 'gsm' || technology === 'edge')
        return answer(`+CESQ: ${clamp(dbm + 111, 63)},0,255,255,255,255`)
      if (technology === 'umts' || technology === 'hspa')
        return answer(`+CESQ: 99,99,${clamp(dbm + 121, 96)},34,255,255`)
      // RSRP is about 27 dB below the value of CSQ; an RSRQ of -9 dB means a good cell.
      return answer(`+CESQ: 99,99,255,255,22,${clamp(dbm - 27 + 141, 97)}`)
    },
  },
}

function clamp(value: number, most: number): number {
  return Math.min(most, Math.max(0, Math.round(value)))
}
