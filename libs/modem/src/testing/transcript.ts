import { ScriptedModem } from './scripted-modem.ts'

/**
 * Plays back a recorded dialogue. `> ` is a line of the host, `< ` a line of the modem, in order; `= ` names a section,
 * `# ` is a remark. A PDU is written with its Ctrl-Z as `^Z`. Modem lines before the first command of a section are
 * sent when the section begins.
 *
 * The resynchronisation (`ESC`, `AT`, a question) is left out because it is the same for all modems.
 */
export class TranscriptModem extends ScriptedModem {
  readonly #sections: readonly Section[]
  #section = -1
  #next = 0
  /** The differences between the output of the host and the transcript. */
  readonly deviations: string[] = []

  constructor(text: string) {
    super()
    this.#sections = sectionsOf(text)
    this.reply = (line) => this.#reply(line.replace('\x1a', '^Z'))
  }

  get sections(): readonly string[] {
    return this.#sections.map((section) => section.name)
  }

  /** Begins a section. Lines that the previous section still expected are reported as differences. */
  begin(name: string): void {
    this.end()
    this.#section = this.#sections.findIndex((section) => section.name === name)
    this.#next = 0
    const said = this.#sections[this.#section]?.said ?? []
    if (said.length > 0) this.say(framed(said))
  }

  end(): void {
    const left = this.#sections[this.#section]?.exchanges.slice(this.#next) ?? []
    this.deviations.push(...left.map((exchange) => `never wrote ${exchange.host}`))
    this.#next = Number.POSITIVE_INFINITY
  }

  #reply(line: string): string | undefined {
    const expected = this.#sections[this.#section]?.exchanges[this.#next]
    if (expected?.host === line) {
      this.#next += 1
      return framed(expected.modem)
    }
    if (gettingInStep.has(line)) return undefined
    this.deviations.push(`wrote ${line} instead of ${expected?.host ?? 'nothing'}`)
    return framed(['ERROR'])
  }
}

interface Section {
  readonly name: string
  readonly said: string[]
  readonly exchanges: { readonly host: string; readonly modem: string[] }[]
}

const gettingInStep = new Set(['AT', 'AT+CMEE?', 'AT+CSCS?', 'AT+CMEE=?', 'AT+GCAP', 'AT+CPAS'])

function sectionsOf(text: string): Section[] {
  const sections: Section[] = []
  for (const line of text.split('\n')) {
    const section = sections.at(-1)
    const rest = line.slice(2)
    if (line.startsWith('= ')) sections.push({ name: rest, said: [], exchanges: [] })
    else if (line.startsWith('> ')) section?.exchanges.push({ host: rest, modem: [] })
    else if (line.startsWith('< ')) (section?.exchanges.at(-1)?.modem ?? section?.said)?.push(rest)
  }
  return sections
}

function framed(lines: readonly string[]): string {
  return lines.map((line) => (line === '>' ? '\r\n> ' : `\r\n${line}\r\n`)).join('')
}
