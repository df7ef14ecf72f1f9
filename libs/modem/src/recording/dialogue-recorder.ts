import type { ByteTrace } from '../wire/trace.ts'

export interface RecordedLine {
  readonly from: 'host' | 'modem'
  /** One character is one byte. A PDU ends with Ctrl-Z, and a `>` from the modem is the prompt. */
  readonly text: string
}

export interface RecordedSection {
  readonly name: string
  readonly lines: readonly RecordedLine[]
}

/**
 * Collects the lines of both directions, in sections, up to a limit. The lines are not redacted yet, so they must not
 * be stored or shown.
 */
export class DialogueRecorder implements ByteTrace {
  readonly #sections: { readonly name: string; readonly lines: RecordedLine[] }[] = []
  #size = 0
  #fromHost = ''
  #fromModem = ''

  /** Begins a section; all later lines belong to it. */
  begin(name: string): void {
    this.#sections.push({ name, lines: [] })
  }

  get sections(): readonly RecordedSection[] {
    return this.#sections
  }

  sent(bytes: Uint8Array): void {
    for (const byte of bytes) {
      // ESC cancels the input of a PDU or text. It is not part of a command.
      if (byte === 0x1b) this.#fromHost = ''
      else if (byte === 0x0d) this.#endHostLine('')
      else if (byte === 0x1a) this.#endHostLine('\x1a')
      else this.#fromHost += String.fromCharCode(byte)
    }
  }

  received(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (byte === 0x0a || byte === 0x0d) this.#endModemLine()
      else this.#fromModem += String.fromCharCode(byte)
      if (this.#fromModem === '> ' || this.#fromModem.length > longestLine) this.#endModemLine()
    }
  }

  #endHostLine(end: string): void {
    const text = this.#fromHost + end
    this.#fromHost = ''
    if (text === '') return
    // Some modems write the prompt as ">" without a space. No line end follows, so the line ends here.
    if (this.#fromModem === '>') this.#endModemLine()
    this.#add('host', text)
  }

  #endModemLine(): void {
    const text = this.#fromModem.trim()
    this.#fromModem = ''
    if (text !== '' && !this.#isEcho(text)) this.#add('modem', text)
  }

  /** Returns true for the echo of a command, which modems send until ATE0. */
  #isEcho(text: string): boolean {
    const last = this.#sections.at(-1)?.lines.at(-1)
    return last?.from === 'host' && last.text.replace('\x1a', '') === text
  }

  #add(from: RecordedLine['from'], text: string): void {
    this.#size += text.length + lineOverhead
    if (this.#size > mostCharacters) return
    if (this.#sections.length === 0) this.begin('start')
    this.#sections.at(-1)?.lines.push({ from, text })
  }
}

/** Even if each byte is written as `\xff`, a line and a recording stay below the limits of the emulator. */
const longestLine = 1_000
const mostCharacters = 500_000
const lineOverhead = 10
