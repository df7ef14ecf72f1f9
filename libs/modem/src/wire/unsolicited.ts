import { type AtParameter, parameterText } from './at-parameters.ts'
import type { ResponseLine } from './response-line.ts'

/** The form of one unsolicited code. A profile adds its vendor's codes to the generic table. */
export interface UnsolicitedForm {
  /** A prefix (`+CMTI`, `^RSSI`) or a whole line (`RDY`, `SMS READY`), in upper case. */
  readonly code: string
  /** The code matches only if the body begins with this text (`SMS DONE` for `+QIND: SMS DONE`). Upper case. */
  readonly body?: string
  /**
   * `pdu`: a line with the content follows (`+CMT`, `+CDS`, `+CBM`). `quoted`: quoted text may span lines (`+CUSD`).
   */
  readonly continues?: 'pdu' | 'quoted'
  /**
   * How the code indicates a restart. `certain`: only a modem that has just booted sends this code. `likely`: a modem
   * also sends this code after a change of the SIM or the radio.
   */
  readonly restart?: 'certain' | 'likely'
  /**
   * Distinguishes the code from an answer with the same prefix. Default: the line is an answer while a command with
   * this prefix is pending.
   */
  readonly isUnsolicited?: (parameters: readonly AtParameter[]) => boolean
}

/** A received unsolicited code. */
export interface Unsolicited extends ResponseLine {
  readonly kind: 'unsolicited'
  readonly form: UnsolicitedForm
}

export class UnsolicitedTable {
  readonly #forms = new Map<string, readonly UnsolicitedForm[]>()

  constructor(forms: readonly UnsolicitedForm[] = genericForms) {
    this.learn(forms)
  }

  /** Forms that are added later take precedence. Each start of the modem adds the forms of the profile again. */
  learn(forms: readonly UnsolicitedForm[]): void {
    for (const form of forms) {
      const others = this.#forms.get(form.code)?.filter((known) => known !== form) ?? []
      this.#forms.set(form.code, [form, ...others])
    }
  }

  find(line: ResponseLine): UnsolicitedForm | undefined {
    const forms = this.#forms.get(line.prefix === '' ? line.text.toUpperCase() : line.prefix)
    if (!forms) return undefined
    const body = line.prefix === '' ? '' : line.body.replaceAll('"', '').toUpperCase()
    return (
      forms.find((form) => form.body !== undefined && body.startsWith(form.body)) ??
      forms.find((form) => form.body === undefined)
    )
  }
}

/**
 * Registration (27.007 §7.2): the answer begins `<n>,<stat>`, the unsolicited code `<stat>[,<lac>,<ci>…]`. The second
 * value distinguishes them: a state is an unquoted number up to 11, and an area code is quoted or has four hexadecimal
 * digits.
 */
function isRegistrationNews(parameters: readonly AtParameter[]): boolean {
  const [first, second] = parameters
  if (first === undefined || first.kind === 'group') return false
  if (second === undefined || second.kind === 'missing') return true
  return !(second.kind === 'plain' && /^\d{1,3}$/.test(second.text) && Number(second.text) <= 11)
}

/**
 * `AT+CUSD=?` answers with a group. The answer to `AT+CUSD?` looks like the end of a session, so the driver never sends
 * this command.
 */
function isUssdNews(parameters: readonly AtParameter[]): boolean {
  return parameters[0]?.kind !== 'group' && parameterText(parameters[0]) !== ''
}

const bare = (code: string): UnsolicitedForm => ({ code })
const booted = (code: string): UnsolicitedForm => ({ code, restart: 'certain' })
const likelyBooted = (code: string): UnsolicitedForm => ({ code, restart: 'likely' })

/** The codes that any modem may send; includes all boot messages, because they arrive before the vendor is known. */
export const genericForms: readonly UnsolicitedForm[] = [
  // 27.005 §3.4.1: short messages
  bare('+CMTI'),
  { code: '+CMT', continues: 'pdu' },
  bare('+CDSI'),
  { code: '+CDS', continues: 'pdu' },
  bare('+CBMI'),
  { code: '+CBM', continues: 'pdu' },
  // 27.007 §7.2, §10.1.20, §10.1.22, §10.1.47: registration
  { code: '+CREG', isUnsolicited: isRegistrationNews },
  { code: '+CGREG', isUnsolicited: isRegistrationNews },
  { code: '+CEREG', isUnsolicited: isRegistrationNews },
  { code: '+C5GREG', isUnsolicited: isRegistrationNews },
  // 27.007 §7.15: USSD
  { code: '+CUSD', continues: 'quoted', isUnsolicited: isUssdNews },
  // 27.007: calls and supplementary services
  ...['RING', '+CRING', '+CLIP', '+CCWA', '+CSSI', '+CSSU', '+CLCC', '+COLP', '+CDIP', '+CNAP'].map(bare),
  ...['NO CARRIER', 'BUSY', 'NO ANSWER', 'NO DIALTONE', 'CONNECT'].map(bare),
  // 27.007 §8: events, time zone, packet domain
  ...['+CIEV', '+CKEV', '+CDEV', '+CMWN', '+CGEV', '+CIREPI', '+CTZV', '+CTZE', '+CTZEU', '+CTZDST'].map(bare),
  ...['+CSQ', '+CESQ', '+CALV', '+CNEM'].map(bare),
  // Codes about SIM and radio, which look like the answers to CPIN? and CFUN?
  bare('+CPIN'),
  { code: '+CPIN', body: 'READY', restart: 'likely' },
  { code: '+CPIN', body: 'SIM PIN', restart: 'likely' },
  bare('+CFUN'),
  { code: '+CFUN', body: '1', restart: 'likely' },
  // Boot and power down
  ...['RDY', '*ATREADY', '^SYSSTART', 'START', 'MODEM:STARTUP'].map(booted),
  { code: '+AT', body: 'READY', restart: 'certain' },
  ...['NORMAL POWER DOWN', 'POWERED DOWN', 'UNDER-VOLTAGE POWER DOWN', 'OVER-VOLTAGE POWER DOWN'].map(booted),
  ...['SMS READY', 'CALL READY', 'SMS DONE', 'PB DONE', '+PBREADY', '^SIMST'].map(likelyBooted),
  { code: '+QIND', body: 'SMS DONE', restart: 'likely' },
  { code: '+QIND', body: 'PB DONE', restart: 'likely' },
  bare('+QIND'),
  // 27.007 §12.2: SIM toolkit
  ...['+CUSATP', '+CUSATS', '+CUSATEND'].map(bare),
]
