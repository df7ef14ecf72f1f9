import type { SimToolkitTraits } from '../../equipment/personality-traits.ts'
import { type CommandHandlers, type CommandTable, cmeError, error, ok } from '../command.ts'

/** `+STGR=83` (SIMCom) ends the session; the other responses contain a type and a choice. */
export const simcomToolkitCommands: CommandTable = {
  '+STGR': {
    set: ({ toolkit }, parameters) => {
      const type = parameters.number(0)
      return toolkit.respond(type === 83 ? undefined : type) ? ok : error
    },
  },
}

export const simcomToolkit: SimToolkitTraits = {
  asks: (type) => `+STIN: ${type.toString(16)}`,
  ended: '+STIN: 25',
}

/** `^STGR=<type>,<index>,<result>`, with the vendor's own numbers for the types. */
export const huaweiToolkitCommands: CommandTable = {
  '^STGR': {
    set: ({ toolkit }, parameters) => {
      if (parameters.count < 3 || parameters.number(1) !== huaweiIndex) return cmeError(50)
      const type = [...huaweiTypes].find(([, own]) => own === parameters.number(0))?.[0]
      return type !== undefined && toolkit.respond(type) ? ok : cmeError(50)
    },
  },
}

export const huaweiToolkit: SimToolkitTraits = {
  asks: (type) => `^STIN: ${huaweiTypes.get(type) ?? 99},${huaweiIndex},0`,
  ended: '^STIN: 99,0,0',
}

const huaweiIndex = 2
const huaweiTypes: ReadonlyMap<number, number> = new Map([
  [0x21, 1],
  [0x22, 2],
  [0x23, 3],
  [0x24, 6],
])

/** 27.007 §12.2.4: the response in hexadecimal, with the details of the command that it answers. */
const terminalResponse: CommandHandlers = {
  set: ({ toolkit }, parameters) => {
    const match = /^810301([0-9A-F]{2})00820282818301(00|10|20|30)$/.exec(parameters.text(0) ?? '')
    return match !== null && toolkit.respond(Number.parseInt(match[1] ?? '', 16)) ? ok : cmeError(50)
  },
}

export const standardToolkitCommands: CommandTable = { '+CUSATT': terminalResponse }

export const standardToolkit: SimToolkitTraits = {
  // Command details and device identities; the text is "Hi".
  asks: (type) => `+CUSATP: "D00E810301${hex(type)}00820281028D03044869"`,
  ended: '+CUSATEND',
}

function hex(octet: number): string {
  return octet.toString(16).padStart(2, '0').toUpperCase()
}
