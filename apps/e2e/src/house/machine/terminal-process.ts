import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { eventually } from '../api-client.ts'
import { inherited, ROOT } from './process.ts'

/** A program on a pseudo-terminal, with a simulated person who types. `script` of util-linux provides the terminal. */
export class TerminalProcess {
  readonly #child: ChildProcess
  #screen = ''
  #read = 0

  constructor(
    main: string,
    args: readonly string[],
    settings: Readonly<Record<string, string>>,
    { as = [] }: { readonly as?: readonly string[] } = {},
  ) {
    const command = [...as, process.execPath, resolve(ROOT, main), ...args].map((word) => `'${word}'`).join(' ')
    this.#child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
      cwd: ROOT,
      env: { ...inherited, LANG: 'C.UTF-8', TERM: 'xterm', ...settings },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#screen += chunk
    })
  }

  /** All output of the terminal, including the echoed input. */
  get screen(): string {
    return this.#screen
  }

  /** Waits for a text that comes after the last awaited text. */
  async shows(text: string): Promise<void> {
    await eventually(
      () => {
        if (this.#child.exitCode !== null && !this.#screen.includes(text, this.#read))
          throw new Error(`ended without showing ${JSON.stringify(text)}:\n${this.#screen}`)
        return this.#screen.indexOf(text, this.#read)
      },
      (at) => at >= 0,
    ).catch((error: Error) => {
      throw new Error(`${error.message}\nthe screen:\n${this.#screen}`, { cause: error })
    })
    this.#read = this.#screen.indexOf(text, this.#read) + text.length
  }

  /** Waits for the question, then types the answer and Enter. */
  async answer(question: string, text: string): Promise<void> {
    await this.shows(question)
    this.type(`${text}\r`)
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys)
  }

  async ended(): Promise<number | null> {
    if (this.#child.exitCode === null) await once(this.#child, 'close')
    return this.#child.exitCode
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL')
    await this.ended()
  }
}
