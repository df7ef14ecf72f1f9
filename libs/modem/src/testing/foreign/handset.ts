import type { Clock } from '../../clock.ts'
import type { ForeignModem } from './foreign-modem.ts'

const lineEnd = '\r\n'
const controlZ = '\x1a'
const escapeByte = '\x1b'

/**
 * A mobile phone with a data cable, written from 27.005. It always works in PDU mode. It has one memory, which cannot
 * be selected; the indexes begin with 301. It indicates messages only in mode 3. Its serial number has ten digits. It
 * does not report error numbers, IMSI or ICCID.
 */
export class Handset implements ForeignModem {
  readonly sent: string[] = []
  readonly #clock: Clock
  readonly #inbox: { index: number; pdu: string }[] = []
  #nextIndex = 301
  #say: (text: string) => void = () => undefined
  #received = ''
  #waitsForPdu = false
  #announces = false
  #messages = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  onOutput(listener: (text: string) => void): void {
    this.#say = listener
  }

  get stored(): number {
    return this.#inbox.length
  }

  deliver(pdu: string): void {
    const index = this.#nextIndex++
    this.#inbox.push({ index, pdu })
    if (this.#announces) this.#lines(`+CMTI: "ME",${index}`)
  }

  input(text: string): void {
    this.#received += text
    for (;;) {
      const ends = this.#waitsForPdu ? [controlZ, escapeByte] : ['\r']
      const end = [...this.#received].findIndex((char) => ends.includes(char))
      if (end < 0) return
      const unit = this.#received.slice(0, end)
      const isAbort = this.#received[end] === escapeByte
      this.#received = this.#received.slice(end + 1)
      if (this.#waitsForPdu) this.#takePdu(unit, isAbort)
      else this.#takeCommand(unit.replaceAll(escapeByte, '').trim())
    }
  }

  #takePdu(pdu: string, isAbort: boolean): void {
    this.#waitsForPdu = false
    if (isAbort) {
      this.#lines('OK')
      return
    }
    this.sent.push(pdu.trim())
    this.#messages += 1
    this.#clock.after(2000, () => this.#lines(`+CMGS: ${this.#messages}`, 'OK'))
  }

  #takeCommand(command: string): void {
    for (const [pattern, answer] of this.#answers) {
      const match = pattern.exec(command)
      if (match === null) continue
      this.#lines(...answer(match[1] ?? ''))
      return
    }
    if (command !== '') this.#lines('ERROR')
  }

  readonly #answers: readonly (readonly [RegExp, (parameter: string) => readonly string[]])[] = [
    [/^AT(?:E[01])?$/i, () => ['OK']],
    [/^ATV1$/i, () => ['OK']],
    [/^AT\+CGMI$/i, () => ['EXAMPLE PHONES', 'OK']],
    [/^AT\+CGMM$/i, () => ['Bar 6', 'OK']],
    [/^AT\+CGSN$/i, () => ['3500000017', 'OK']],
    [/^AT\+CSCS\?$/i, () => ['+CSCS: "PCCP437"', 'OK']],
    [/^AT\+CPIN\?$/i, () => ['+CPIN: READY', 'OK']],
    [/^AT\+CMGF\?$/i, () => ['+CMGF: 0', 'OK']],
    [/^AT\+CMGF=(\d)$/i, (mode) => [mode === '0' ? 'OK' : 'ERROR']],
    [/^AT\+CNMI=\?$/i, () => ['+CNMI: (3),(0,1),(0),(0),(0)', 'OK']],
    [/^AT\+CNMI=(.*)$/i, (mode) => [this.#announce(mode)]],
    [/^AT\+CREG\?$/i, () => ['+CREG: 000,001', 'OK']],
    [/^AT\+CSQ$/i, () => ['+CSQ: 31,99', 'OK']],
    [
      /^AT\+CMGL=4$/i,
      () => [...this.#inbox.flatMap(({ index, pdu }) => [`+CMGL: ${index},1,,${sizeOf(pdu)}`, pdu]), 'OK'],
    ],
    [/^AT\+CMGR=(\d+)$/i, (index) => this.#read(Number(index))],
    [/^AT\+CMGD=(\d+)$/i, (index) => this.#delete(Number(index))],
    [/^AT\+CMGS=\d+$/i, () => this.#prompt()],
  ]

  #announce(mode: string): string {
    if (!mode.startsWith('3,')) return 'ERROR'
    this.#announces = mode.startsWith('3,1')
    return 'OK'
  }

  #read(index: number): readonly string[] {
    const found = this.#inbox.find((message) => message.index === index)
    return found === undefined ? ['+CMS ERROR: 321'] : [`+CMGR: 1,,${sizeOf(found.pdu)}`, found.pdu, 'OK']
  }

  #delete(index: number): readonly string[] {
    const at = this.#inbox.findIndex((message) => message.index === index)
    if (at >= 0) this.#inbox.splice(at, 1)
    return [at >= 0 ? 'OK' : 'ERROR']
  }

  #prompt(): readonly string[] {
    this.#waitsForPdu = true
    this.#say(`${lineEnd}> `)
    return []
  }

  #lines(...lines: readonly string[]): void {
    for (const line of lines) this.#say(`${lineEnd}${line}${lineEnd}`)
  }
}

function sizeOf(pdu: string): number {
  const centre = Number.parseInt(pdu.slice(0, 2), 16)
  return pdu.length / 2 - centre - 1
}
