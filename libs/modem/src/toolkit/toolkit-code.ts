import { integerOf, parameterText, parseParameters } from '../wire/at-parameters.ts'
import { terminalResponseTo } from './terminal-response.ts'

/**
 * An unsolicited code with which a program on the SIM (SIM toolkit) sends a command to the host. Until the host
 * responds, the SIM may be busy for all other purposes.
 *
 * Every vendor has a command that switches the toolkit off. The driver does not use this command, because a SIM
 * with several identities (multi-IMSI) needs the toolkit to change its network.
 */
export interface ToolkitCode {
  readonly code: string
  /** The commands that answer the code; none if the modem expects no answer. */
  readonly responses: (body: string) => readonly string[]
}

/**
 * 27.007 §12.2.5: the code contains the whole command in hexadecimal. Ericsson modems use other names for this code and
 * for the response.
 */
export const standardToolkitCode = codeWithPdu('+CUSATP', 'AT+CUSATT')
export const ericssonToolkitCode = codeWithPdu('*STKI', 'AT*STKR')

/** `^STIN: <type>,<index>,<timed out>`; older sticks report only the type. Result 0 means "ended by the user". */
export const huaweiToolkitCode: ToolkitCode = {
  code: '^STIN',
  responses: (body) => {
    const [type, index] = parseParameters(body).map(parameterText)
    if (type === undefined || !vendorTypesForPerson.has(type)) return []
    return [index ? `AT^STGR=${type},${index},0` : `AT^STGR=${type},0`]
  },
}

/** `+STIN: <type>` of Wavecom modules. `AT+STGR=99` ends the session of any type. */
export const wavecomToolkitCode: ToolkitCode = {
  code: '+STIN',
  responses: (body) => (vendorTypesForPerson.has(parameterText(parseParameters(body)[0])) ? ['AT+STGR=99'] : []),
}

/** The types of Wavecom and Huawei: display text, get inkey, get input, set up call, select item. */
const vendorTypesForPerson: ReadonlySet<string> = new Set(['1', '2', '3', '4', '6'])

/**
 * `+STIN: <type>`: 21 display text, 22 get inkey, 23 get input, 24 select item; 25 is the main menu. 83: end by user.
 */
export const simcomToolkitCode: ToolkitCode = {
  code: '+STIN',
  responses: (body) => (/^2[1-4]$/.test(parameterText(parseParameters(body)[0])) ? ['AT+STGR=83'] : []),
}

/**
 * `#STN: <type>,…`. The type is the command type of the standard, in decimal. Types of 100 and above report the end of
 * a session. Type 37 is the main menu, which does not wait for a person.
 */
export const telitToolkitCode: ToolkitCode = {
  code: '#STN',
  responses: (body) => {
    const type = integerOf(parseParameters(body)[0])
    const result = type === undefined ? undefined : telitResults.get(type)
    return result === undefined ? [] : [`AT#STSR=${type},${result}`]
  },
}

/** 16: ended by the user; 34: the user refused a call or a connection. */
const telitResults: ReadonlyMap<number, number> = new Map([
  [0x10, 34],
  [0x21, 16],
  [0x22, 16],
  [0x23, 16],
  [0x24, 16],
  [0x40, 34],
])

/**
 * `^SSTN: <type>`; the driver must read the parameters before it responds. Results: 0: done, 16: ended by the user, 32:
 * impossible.
 */
export const cinterionToolkitCode: ToolkitCode = {
  code: '^SSTN',
  responses: (body) => {
    const type = integerOf(parseParameters(body)[0])
    if (type === undefined || type < 1 || type > 0x7f) return []
    const result = type === 0x05 || type === 0x25 || type === 0x28 ? 0 : type >= 0x21 && type <= 0x24 ? 16 : 32
    return [`AT^SSTGI=${type}`, `AT^SSTR=${type},${result}`]
  },
}

/**
 * Modules that Sierra designed send `!STKC: <type>`, with the type of the standard in hexadecimal. The meaning of a
 * result depends on the type. The manuals of 2008 to 2018 (MC87xx, MC77xx, WP76xx) have the same types, the same result
 * 0 (done), and the same results for calls and USSD. Result 1 (ends the session) for a tone or an input is documented
 * only for the MC87xx.
 */
export const sierraToolkitCode: ToolkitCode = {
  code: '!STKC',
  responses: (body) => {
    const type = parameterText(parseParameters(body)[0]).trim()
    const result = sierraResults.get(type)
    return result === undefined ? [] : [`AT!STKCR=${type},${result}`]
  },
}

/**
 * Result 7 means "call not accepted". Result 1 means "ended by the user" for a tone (20) and an input (23), and "beyond
 * the capabilities" for the types 11 to 13.
 */
const sierraResults: ReadonlyMap<string, number> = new Map([
  ['05', 0],
  ['10', 7],
  ['11', 1],
  ['12', 1],
  ['13', 1],
  ['20', 1],
  ['21', 0],
  ['23', 1],
  ['25', 0],
  ['28', 0],
  ['35', 0],
])

function codeWithPdu(code: string, response: string): ToolkitCode {
  return {
    code,
    responses: (body) => {
      const pdu = terminalResponseTo(parameterText(parseParameters(body)[0]))
      return pdu === undefined ? [] : [`${response}="${pdu}"`]
    },
  }
}
