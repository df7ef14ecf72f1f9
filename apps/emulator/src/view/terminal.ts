/** The whole screen of a terminal, borrowed: raw keys in, lines out; `restore` leaves it as it was. */
export class Terminal {
  readonly #input: NodeJS.ReadStream
  readonly #output: NodeJS.WriteStream
  readonly #onInput: (data: Buffer) => void
  readonly #onResize: () => void
  #shown: readonly string[] = []
  #borrowed = true

  constructor(
    input: NodeJS.ReadStream,
    output: NodeJS.WriteStream,
    onInput: (text: string) => void,
    redraw: () => void,
  ) {
    this.#input = input
    this.#output = output
    this.#onInput = (data) => onInput(data.toString('utf8'))
    this.#onResize = () => {
      this.#shown = []
      output.write(CLEAR)
      redraw()
    }
    input.setRawMode(true)
    input.on('data', this.#onInput)
    output.on('resize', this.#onResize)
    output.write(`${ALTERNATE_SCREEN}${HIDE_CURSOR}${CLEAR}`)
  }

  get columns(): number {
    return this.#output.columns
  }

  get rows(): number {
    return this.#output.rows
  }

  /** Writes only the lines that changed. Skipped while the terminal is behind. */
  show(lines: readonly string[]): void {
    if (!this.#borrowed || this.#output.writableLength > 0) return
    let text = ''
    for (const [row, line] of lines.entries()) {
      if (this.#shown[row] !== line) text += `\x1b[${row + 1};1H${line}\x1b[0m\x1b[K`
    }
    this.#shown = lines
    if (text) this.#output.write(text)
  }

  restore(): void {
    if (!this.#borrowed) return
    this.#borrowed = false
    this.#input.off('data', this.#onInput)
    this.#input.setRawMode(false)
    this.#input.pause()
    this.#output.off('resize', this.#onResize)
    this.#output.write(`${SHOW_CURSOR}${NORMAL_SCREEN}`)
  }
}

const ALTERNATE_SCREEN = '\x1b[?1049h'
const NORMAL_SCREEN = '\x1b[?1049l'
const HIDE_CURSOR = '\x1b[?25l'
const SHOW_CURSOR = '\x1b[?25h'
const CLEAR = '\x1b[2J'
