import type { Clock } from '../../clock.ts'
import type { BytePort } from '../../wire/byte-port.ts'

/** A modem simulator that shares no code with the driver, with `libs/virtual-modem`, or with another simulator. */
export interface ForeignModem {
  /** The PDUs that the network accepted. */
  readonly sent: readonly string[]
  /** The number of messages in all memories. */
  readonly stored: number
  onOutput(listener: (text: string) => void): void
  /** One character per byte. */
  input(text: string): void
  /** A message arrives from the network. */
  deliver(pdu: string): void
}

export const refusals = ['ERROR', '+CME ERROR: 4', '+CMS ERROR: 303', 'silence'] as const
export type Refusal = (typeof refusals)[number]

/** How the foreign modem writes its lines. */
export interface Habits {
  readonly lineEnd?: '\r' | '\n' | '\r\n' | '\r\r\n'
  /** `late`: the modem sends the echo of a command after its answer. */
  readonly echo?: 'always' | 'late'
  /** OK follows the last line of the answer without a line end. */
  readonly gluesOk?: true
  readonly prompt?: '>' | '> ' | '>\r\n'
  /** The modem sends OK before the prompt to `AT+CMGS=`. */
  readonly okBeforePrompt?: true
  /** The modem sends the final OK before `+CMGS:`, or never. */
  readonly okOfSubmission?: 'missing' | 'first'
  /** An unsolicited line that the modem sends before each line of an answer. */
  readonly chatter?: string
}

/** The port of a foreign modem that refuses some commands and writes its lines in its own way. */
export class ForeignPort implements BytePort {
  readonly #modem: ForeignModem
  readonly #clock: Clock
  readonly #refused: ReadonlyMap<string, Refusal>
  readonly #habits: Habits
  #onBytes: (bytes: Uint8Array) => void = () => undefined
  #line = ''
  #isInPdu = false
  #output = ''
  #isFlushing = false
  #echo = ''

  constructor(modem: ForeignModem, clock: Clock, refused: Readonly<Record<string, Refusal>> = {}, habits: Habits = {}) {
    this.#modem = modem
    this.#clock = clock
    this.#refused = new Map(Object.entries(refused))
    this.#habits = habits
    modem.onOutput((text) => this.#say(text))
  }

  onBytes(listener: (bytes: Uint8Array) => void): void {
    this.#onBytes = listener
  }

  onClosed(): void {
    // Does nothing, because this port is never lost.
  }

  write(bytes: Uint8Array): void {
    for (const char of String.fromCharCode(...bytes)) this.#type(char)
  }

  #type(char: string): void {
    if (this.#isInPdu) {
      this.#modem.input(char)
      if (char === '\x1a' || char === '\x1b') this.#isInPdu = false
      return
    }
    this.#line += char
    if (char !== '\r') return
    const line = this.#line
    this.#line = ''
    const command = line.replaceAll('\x1b', '').trim().toUpperCase()
    this.#echo = this.#habits.echo === undefined ? '' : command
    if (this.#habits.echo === 'always') this.#say(`${command}\r`)
    const refusal = this.#refused.get(/^AT(\+[A-Z]+|[A-Z]|)/.exec(command)?.[1] ?? '-')
    if (refusal === undefined) this.#modem.input(line)
    else if (refusal !== 'silence') this.#say(`\r\n${refusal}\r\n`)
  }

  /** Collects output until the current task ends, because the habits apply to whole answers. */
  #say(text: string): void {
    if (text.includes('>')) this.#isInPdu = true
    this.#output += text
    if (this.#isFlushing) return
    this.#isFlushing = true
    this.#clock.after(5, () => {
      this.#isFlushing = false
      const output = this.#shaped(this.#output)
      this.#output = ''
      this.#onBytes(Uint8Array.from(output, (char) => char.charCodeAt(0)))
    })
  }

  #shaped(output: string): string {
    const { lineEnd, gluesOk, prompt, okBeforePrompt, okOfSubmission, chatter, echo } = this.#habits
    let text = output
    if (/> ?$/.test(text)) {
      if (prompt !== undefined) text = text.replace(/> ?$/, prompt)
      if (okBeforePrompt) text = `\r\nOK\r\n${text}`
    }
    if (text.includes('+CMGS:') && okOfSubmission !== undefined) {
      text = text.replace(/\r\nOK\r\n$/, '')
      if (okOfSubmission === 'first') text = `\r\nOK\r\n${text}`
    }
    if (gluesOk) text = text.replace(/(\r\n[+\d][^\r\n]*)[\r\n]+OK\r\n/g, '$1OK\r\n')
    if (chatter !== undefined) text = text.replace(/^\r\n(?=[^>])/, `\r\n${chatter}\r\n\r\n`)
    if (echo === 'late' && this.#echo !== '') text = `${text}\r\n${this.#echo}\r\n`
    return lineEnd === undefined ? text : text.replaceAll('\r\n', lineEnd)
  }
}
