import type { BytePort } from '../src/wire/byte-port.ts'
import type { RandomAnswers } from './random-answers.ts'

/**
 * A modem that sends random bytes, but often gives the expected answer, so that the driver makes progress. The caller
 * takes the modem's output with `take` and decides when and in which chunks the driver receives it.
 */
export class NonsensePort implements BytePort {
  readonly #answers: RandomAnswers
  #onBytes: (bytes: Uint8Array) => void = () => undefined
  #onClosed: (reason: string) => void = () => undefined
  #answer = ''

  constructor(answers: RandomAnswers) {
    this.#answers = answers
  }

  write(bytes: Uint8Array): void {
    const text = String.fromCharCode(...bytes)
    if (this.#answers.once(8)) return
    const sane = text.endsWith('\x1a') ? '\r\n+CMGS: 17\r\n\r\nOK\r\n' : saneAnswer(text.trim().replace('\x1b', ''))
    this.#answer += this.#answers.once(4) ? this.#nonsense() : sane
  }

  onBytes(listener: (bytes: Uint8Array) => void): void {
    this.#onBytes = listener
  }

  onClosed(listener: (reason: string) => void): void {
    this.#onClosed = listener
  }

  /** Returns the modem's answers to everything written since the last call, and clears them. */
  take(): string {
    const answer = this.#answer
    this.#answer = ''
    return answer
  }

  receive(bytes: Uint8Array): void {
    this.#onBytes(bytes)
  }

  lose(): void {
    this.#onClosed('unplugged')
  }

  #nonsense(): string {
    let text = ''
    for (let count = this.#answers.below(4); count > 0; count -= 1)
      text += this.#answers.line() + this.#answers.lineEnd()
    return `${text}\r\n${this.#answers.oneOf(['OK', 'ERROR', '+CMS ERROR: 500', '+CME ERROR: 14'])}\r\n`
  }
}

function saneAnswer(command: string): string {
  if (/^AT\+CMGS=/.test(command)) return '\r\n> '
  const line = saneLines[command] ?? saneLines[command.replace(/=.*/, '=')]
  return line === undefined ? '\r\nOK\r\n' : `\r\n${line}\r\n\r\nOK\r\n`
}

const saneLines: Readonly<Record<string, string>> = {
  'AT+CMEE?': '+CMEE: 1',
  'AT+CSCS?': '+CSCS: "GSM"',
  'AT+CMEE=?': '+CMEE: (0-2)',
  'AT+GCAP': '+GCAP: +CGSM',
  'AT+CPAS': '+CPAS: 0',
  'AT+CGMI': 'Anyone',
  'AT+CGMM': 'Modem One',
  'AT+CGSN': '490154203237518',
  'AT+CFUN?': '+CFUN: 1',
  'AT+CPIN?': '+CPIN: READY',
  'AT+CMGF?': '+CMGF: 0',
  'AT+CPMS=?': '+CPMS: ("SM","ME"),("SM","ME"),("SM","ME")',
  'AT+CPMS=': '+CPMS: 1,30,0,30,0,30',
  'AT+CNMI?': '+CNMI: 2,1,0,1,0',
  'AT+CIMI': '262011234567890',
  'AT+CREG?': '+CREG: 2,1,"5E25","605F",2',
  'AT+CSQ': '+CSQ: 20,99',
  'AT+CMGL=4': '+CMGL: 1,1,,24\r\n07911326040000F0040B911346610089F60000208062917314080CC8F71D14969741F977FD07',
  'AT+CMGR=': '+CMGR: 1,,24\r\n07911326040000F0040B911346610089F60000208062917314080CC8F71D14969741F977FD07',
}
