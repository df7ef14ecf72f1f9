import { answer, type Command, type CommandTable, error } from '../command.ts'
import type { MobileEquipment } from '../mobile-equipment.ts'

/** Who the modem is and whose card is in it: 27.007 §5, CIMI, CCID, CNUM. */
export const identityCommands: CommandTable = {
  I: { execute: ({ personality, imei }) => answer(...personality.identity.about(imei)) },
  '+CGMI': manufacturer(),
  '+GMI': manufacturer(),
  '+CGMM': tells(({ personality }) => personality.identity.modelLine ?? personality.identity.model),
  '+GMM': tells(({ personality }) => personality.identity.modelLine ?? personality.identity.model),
  '+CGMR': tells(({ personality }) => personality.identity.revisionLine ?? personality.identity.revision),
  '+GMR': tells(({ personality }) => personality.identity.revisionLine ?? personality.identity.revision),
  '+CGSN': {
    ...tells(({ imei }) => imei),
    // 27.007 §5.4: 1 the IMEI, 2 with the software version, 3 that version alone.
    set: ({ imei }, parameters) => {
      const type = parameters.number(0)
      if (type === 0 || type === 1) return answer(`+CGSN: "${imei}"`)
      if (type === 2) return answer(`+CGSN: "${imei.slice(0, 14)}01"`)
      return type === 3 ? answer('+CGSN: "01"') : error
    },
  },
  '+GSN': tells(({ imei }) => imei),
  '+GCAP': tells(({ personality }) => `+GCAP: ${personality.identity.capabilities}`),
  '+CIMI': { needs: 'unlocked', ...tells(({ sim }) => sim?.imsi ?? '') },
  '+CCID': { needs: 'sim', ...tells(({ sim }) => `+CCID: ${sim?.iccid ?? ''}`) },
  '+CNUM': {
    needs: 'unlocked',
    test: () => answer(),
    execute: ({ sim }) => {
      const entries = sim?.ownNumbers.between(1, 4) ?? []
      return answer(...entries.map(([, { name, number }]) => `+CNUM: "${name}","${number}",${typeOfNumber(number)}`))
    },
  },
}

function manufacturer(): Command {
  return tells(({ personality }) => personality.identity.manufacturer)
}

export function tells(line: (modem: MobileEquipment) => string): Command {
  return { test: () => answer(), execute: (modem) => answer(line(modem)) }
}

export function typeOfNumber(number: string): 145 | 129 {
  return number.startsWith('+') ? 145 : 129
}
