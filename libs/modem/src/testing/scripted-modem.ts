import type { BytePort } from '../wire/byte-port.ts'

/**
 * The other end of the port, scripted by a test: records the writes of the driver, and answers each command line with a
 * function. Resynchronisations are answered automatically.
 */
export class ScriptedModem implements BytePort {
  /** All writes, including control characters; one entry per write. */
  readonly written: string[] = []
  /** Answers a command line, or a PDU with its Ctrl-Z; undefined means no answer. Called within `write`. */
  reply: (line: string) => string | undefined = () => undefined
  #onBytes: (bytes: Uint8Array) => void = () => undefined
  #onClosed: (reason: string) => void = () => undefined
  #line = ''

  write(bytes: Uint8Array): void {
    const text = String.fromCharCode(...bytes)
    this.written.push(text)
    for (const char of text) this.#handle(char)
  }

  onBytes(listener: (bytes: Uint8Array) => void): void {
    this.#onBytes = listener
  }

  onClosed(listener: (reason: string) => void): void {
    this.#onClosed = listener
  }

  /** One character is one byte. */
  say(text: string): void {
    this.#onBytes(Uint8Array.from(text, (char) => char.charCodeAt(0)))
  }

  lose(reason = 'unplugged'): void {
    this.#onClosed(reason)
  }

  #handle(char: string): void {
    if (char === '\x1b') {
      this.#line = ''
    } else if (char === '\r' || char === '\x1a') {
      const line = char === '\r' ? this.#line : `${this.#line}\x1a`
      this.#line = ''
      const answer = this.reply(line) ?? inStep[line]
      if (answer) this.say(answer)
    } else {
      this.#line += char
    }
  }
}

const inStep: Record<string, string> = {
  AT: '\r\nOK\r\n',
  'AT+CMEE?': '\r\n+CMEE: 1\r\n\r\nOK\r\n',
  'AT+CSCS?': '\r\n+CSCS: "IRA"\r\n\r\nOK\r\n',
  'AT+CMEE=?': '\r\n+CMEE: (0-2)\r\n\r\nOK\r\n',
  'AT+GCAP': '\r\n+GCAP: +CGSM\r\n\r\nOK\r\n',
  'AT+CPAS': '\r\n+CPAS: 0\r\n\r\nOK\r\n',
}
