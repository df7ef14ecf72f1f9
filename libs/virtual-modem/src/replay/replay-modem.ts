import type { Recording } from './recording.ts'

/**
 * A modem that answers as in a recording. The answers to a command are sent in the order of the recording, and the last
 * answer is repeated. Other commands are answered with `ERROR`, except the commands that any modem answers.
 *
 * A number, a length and a PDU may differ from the recording, because each host sends other values: every `AT+CMGS=…`
 * is answered like a recorded `AT+CMGS=…`, and every PDU like a recorded PDU.
 */
export class ReplayModem {
  readonly #answers = new Map<string, { readonly recorded: string[][]; given: number }>()
  readonly #opening: string[] = []
  readonly #send: (bytes: Uint8Array) => void
  #line = ''

  constructor(recording: Recording, send: (bytes: Uint8Array) => void) {
    this.#send = send
    let current: string[] = this.#opening
    for (const { from, text } of recording.sections.flatMap(({ lines }) => lines)) {
      if (from === 'modem') current.push(text)
      else current = this.#recordAnswerTo(text)
    }
  }

  /** Sends the lines that the modem sent before the first command, for example after its start. */
  open(): void {
    if (this.#opening.length > 0) this.#say(this.#opening)
  }

  receive(bytes: Uint8Array): void {
    for (const byte of bytes) {
      const char = String.fromCharCode(byte)
      // Drops a line that is too long. Otherwise, a line without an end would fill the memory.
      if (char === '\x1b' || this.#line.length > LONGEST_LINE) this.#line = ''
      else if (char === '\r' || char === '\x1a') {
        const line = char === '\r' ? this.#line : `${this.#line}\x1a`
        this.#line = ''
        if (line !== '') this.#answer(line)
      } else if (char !== '\n') this.#line += char
    }
  }

  #recordAnswerTo(command: string): string[] {
    const answer: string[] = []
    const known = this.#answers.get(keyOf(command))
    if (known === undefined) this.#answers.set(keyOf(command), { recorded: [answer], given: 0 })
    else known.recorded.push(answer)
    return answer
  }

  #answer(line: string): void {
    const known = this.#answers.get(keyOf(line))
    if (known === undefined) {
      this.#say(answeredByAny[line.toUpperCase()] ?? ['ERROR'])
      return
    }
    const { recorded, given } = known
    known.given += 1
    const answer = recorded[Math.min(given, recorded.length - 1)] ?? []
    this.#say(given < recorded.length ? answer : withoutNews(answer))
  }

  #say(lines: readonly string[]): void {
    const text = lines.map((line) => (line === '>' ? '\r\n> ' : `\r\n${line}\r\n`)).join('')
    this.#send(Uint8Array.from(text, (char) => char.charCodeAt(0)))
  }
}

const LONGEST_LINE = 1_024

/** Two commands have the same key if they differ only in case, or in the length of a PDU. */
function keyOf(line: string): string {
  if (line.endsWith('\x1a')) return 'PDU'
  return line.toUpperCase().replace(/^(AT\+CM(?:GS|GW)=)\d+$/, '$1*')
}

/**
 * Leaves out the lines after the final result, because they were unsolicited, for example about an incoming message.
 */
function withoutNews(answer: readonly string[]): readonly string[] {
  const end = answer.findIndex((line) => /^(?:OK|ERROR|>|\+CM[ES] ERROR:.*|COMMAND NOT SUPPORT)$/.test(line))
  return end < 0 ? answer : answer.slice(0, end + 1)
}

/** The commands with which the driver checks that a modem answers. Most recordings do not contain them. */
const answeredByAny: Readonly<Record<string, readonly string[]>> = {
  AT: ['OK'],
  'AT+CMEE?': ['+CMEE: 1', 'OK'],
  'AT+CSCS?': ['+CSCS: "IRA"', 'OK'],
  'AT+CMEE=?': ['+CMEE: (0-2)', 'OK'],
  'AT+GCAP': ['+GCAP: +CGSM', 'OK'],
  'AT+CPAS': ['+CPAS: 0', 'OK'],
}
