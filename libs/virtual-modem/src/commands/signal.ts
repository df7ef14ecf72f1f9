import { answer, type CommandTable } from '../command.ts'

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
      // RSRP lies some 27 dB below what CSQ measures; RSRQ of -9 dB is a good cell.
      return answer(`+CESQ: 99,99,255,255,22,${clamp(dbm - 27 + 141, 97)}`)
    },
  },
}

function clamp(value: number, most: number): number {
  return Math.min(most, Math.max(0, Math.round(value)))
}
