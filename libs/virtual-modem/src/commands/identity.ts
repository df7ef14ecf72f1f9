import type { MobileEquipment } from '../equipment/mobile-equipment.ts'
import { answer, answersLine, type CommandHandlers, type CommandTable, error, type Finished } from './command.ts'

/** Identity of modem and SIM: 27.007 §5, CIMI, CCID, CNUM. */
export const identityCommands: CommandTable = {
  I: {
    execute: ({ personality, imei, faults }) => {
      return answer(...personality.identity.about(faults.strike('imei-answer')?.line ?? imei))
    },
  },
  '+CGMI': manufacturer(),
  '+GMI': manufacturer(),
  '+CGMM': answersLine(({ personality }) => personality.identity.model),
  '+GMM': answersLine(({ personality }) => personality.identity.model),
  '+CGMR': answersLine(({ personality }) => personality.identity.revisionLine ?? personality.identity.revision),
  '+GMR': answersLine(({ personality }) => personality.identity.revisionLine ?? personality.identity.revision),
  '+CGSN': {
    test: () => answer(),
    execute: answerImei,
    // 27.007 §5.4: 1 means the IMEI, 2 the IMEI with the software version, and 3 only the software version.
    set: ({ imei, faults }, parameters) => {
      if (faults.strike('imei-answer')) return error
      const type = parameters.number(0)
      if (type === 0 || type === 1) return answer(`+CGSN: "${imei}"`)
      if (type === 2) return answer(`+CGSN: "${imei.slice(0, 14)}01"`)
      return type === 3 ? answer('+CGSN: "01"') : error
    },
  },
  '+GSN': { test: () => answer(), execute: answerImei },
  '+GCAP': answersLine(({ personality }) => `+GCAP: ${personality.identity.capabilities}`),
  '+CIMI': { needs: 'unlocked', ...answersLine(({ sim }) => sim?.imsi ?? '') },
  '+CCID': { needs: 'sim', ...answersLine(({ sim }) => `+CCID: ${sim?.iccid ?? ''}`) },
  '+CNUM': {
    needs: 'unlocked',
    test: () => answer(),
    execute: ({ sim }) => {
      const entries = sim?.ownNumbers.between(1, 4) ?? []
      return answer(...entries.map(([, { name, number }]) => `+CNUM: "${name}","${number}",${typeOfNumber(number)}`))
    },
  },
}

function answerImei({ imei, faults }: MobileEquipment): Finished {
  const line = faults.strike('imei-answer')?.line
  if (line === undefined) return answer(imei)
  return line === '' ? error : answer(line)
}

function manufacturer(): CommandHandlers {
  return answersLine(({ personality }) => personality.identity.manufacturer)
}

export function typeOfNumber(number: string): 145 | 129 {
  return number.startsWith('+') ? 145 : 129
}
