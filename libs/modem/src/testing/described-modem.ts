import { ScriptedModem } from './scripted-modem.ts'

/**
 * A modem defined by its answers: command → lines, followed by OK unless they end with a final result. If a command has
 * several answers, they are sent in turn, and then the last answer is repeated. Other commands are not supported.
 */
export class DescribedModem extends ScriptedModem {
  readonly #answers: Map<string, Described>
  /** All command lines, except the command lines of a resynchronisation. */
  readonly commands: string[] = []
  readonly pdus: string[] = []
  readonly #meanwhile: string[] = []
  #busy = false

  constructor(...answers: readonly Answers[]) {
    super()
    this.#answers = new Map(Object.entries(Object.assign({}, plainModem, ...answers)))
    this.reply = (line) => this.#reply(line)
  }

  /** Replaces an answer from now on. */
  answer(command: string, answer: Described): void {
    this.#answers.set(command, answer)
  }

  /** Sends one or more unsolicited lines. */
  tell(text: string): void {
    this.say(framed(text))
  }

  /**
   * Ends the command during which the modem was `busy`. After that, the modem processes the commands that were written
   * meanwhile.
   */
  finish(text: string): void {
    this.#busy = false
    this.tell(text)
    for (const line of this.#meanwhile.splice(0)) {
      const answer = this.reply(line)
      if (answer !== undefined) this.say(answer)
    }
  }

  #reply(line: string): string | undefined {
    if (this.#busy) {
      this.#meanwhile.push(line)
      return ''
    }
    if (line.endsWith('\x1a')) {
      this.pdus.push(line.slice(0, -1))
      this.#busy = this.#answers.get('PDU') === 'busy'
      return this.#busy ? '' : this.#take('PDU')
    }
    if (!gettingInStep.has(line)) this.commands.push(line)
    else if (!this.#answers.has(line)) return undefined
    const name = [line, line.replace(/=.*/, '=*')].find((key) => this.#answers.has(key))
    return name === undefined ? framed('ERROR') : this.#take(name)
  }

  #take(name: string): string | undefined {
    const described = this.#answers.get(name)
    if (described === undefined) return undefined
    if (typeof described === 'string') return isRaw(described) ? described.slice(4) : framed(withFinalResult(described))
    const [first, ...rest] = described
    if (rest.length > 0) this.#answers.set(name, rest)
    if (first === undefined) return undefined
    return isRaw(first) ? first.slice(4) : framed(withFinalResult(first))
  }
}

/**
 * An answer that starts with `raw:` is sent byte for byte. `silence`: no answer. `busy`, for a PDU: no answer, and no
 * other command is processed until `finish`.
 */
export type Described = string | readonly string[]
export type Answers = Readonly<Record<string, Described>>

const gettingInStep = new Set(['AT', 'AT+CMEE?', 'AT+CSCS?', 'AT+CMEE=?', 'AT+GCAP', 'AT+CPAS'])

/** Answers of nearly any modem; each test adds its own answers. */
const plainModem: Answers = {
  ATE0: 'OK',
  ATV1: 'OK',
  'AT+CMEE=1': 'OK',
  'AT+CGMI': 'Anyone',
  'AT+CGMM': 'Modem One',
  'AT+CGMR': '1.0',
  'AT+CGSN': '490154203237518',
  'AT+CFUN?': '+CFUN: 1',
  'AT+CPIN?': '+CPIN: READY',
  'AT+CMGF=0': 'OK',
  'AT+CMGF?': '+CMGF: 0',
  'AT+CSCS=*': 'OK',
  'AT+CSMS=*': '+CSMS: 1,1,1',
  'AT+CPMS=?': '+CPMS: ("SM","ME"),("SM","ME"),("SM","ME")',
  'AT+CPMS=*': '+CPMS: 0,30,0,30,0,30',
  'AT+CNMI=?': '+CNMI: (0-2),(0-3),(0,2),(0-2),(0,1)',
  'AT+CNMI=*': 'OK',
  'AT+CNMI?': '+CNMI: 2,1,0,1,0',
  'AT+CIMI': '262011234567890',
  'AT+CSCA?': '+CSCA: "+491710760000",145',
  'AT+CCID': '+CCID: "89490200001234567890"',
  'AT+CNUM': 'OK',
  'AT+CREG=*': 'OK',
  'AT+CREG?': '+CREG: 2,1,"5E25","605F",2',
  'AT+CTZU=1': 'OK',
  'AT+CTZR=1': 'OK',
  'AT+CMGL=4': 'OK',
  'AT+CSQ': '+CSQ: 20,99',
  'AT+CMGS=*': 'raw:\r\n> ',
  PDU: '+CMGS: 17',
}

const isRaw = (answer: string): boolean => answer.startsWith('raw:')

function withFinalResult(answer: string): string {
  if (answer === 'silence') return ''
  return /(^|\n)(OK|ERROR|\+CM[ES] ERROR:.*|COMMAND NOT SUPPORT|TOO MANY PARAMETERS)$/.test(answer)
    ? answer
    : `${answer}\nOK`
}

function framed(text: string): string {
  return text === ''
    ? ''
    : text
        .split('\n')
        .map((line) => `\r\n${line}\r\n`)
        .join('')
}
