import { setTimeout as sleep } from 'node:timers/promises'
import { HouseProcess } from '../machine/process.ts'

/** A process that is restarted with the same settings whenever it ends, as if by a service manager. */
export class Post {
  readonly name: string
  /** The last output before each unexpected end of the process. The list must stay empty. */
  readonly crashes: string[] = []
  readonly #start: () => HouseProcess
  #main: string
  #process: HouseProcess
  #isWanted = true
  /** True if the process has ended and will be restarted. */
  #isAway = false
  readonly #log: (line: string) => void

  constructor(program: PostProgram, log: (line: string) => void) {
    const { name, main, args, settings, logFile } = program
    this.name = name
    this.#main = main
    this.#log = log
    this.#start = () =>
      this.#watched(new HouseProcess(name, this.#main, args, settings, logFile === undefined ? {} : { logFile }))
    this.#process = this.#start()
  }

  /** The log of the running process; empty if it logs to a file. */
  get lines(): readonly string[] {
    return this.#process.lines
  }

  /** The last lines of the log; none if the process logs to a file. */
  get lastLines(): readonly string[] {
    return this.lines.slice(-40)
  }

  /** Kills the process, and starts it again after this time; does nothing if it is not running. */
  killFor(ms: number): Promise<void> {
    return this.killWhile(() => sleep(ms))
  }

  /** Kills the process, and starts it again after this work; does nothing if it is not running. */
  async killWhile(work: () => Promise<unknown>): Promise<void> {
    if (this.#isAway) return
    this.#isAway = true
    await this.#process.kill()
    try {
      await work()
    } finally {
      this.#process = this.#start()
      this.#isAway = false
    }
  }

  /** Stops the process and starts the program of another release with the same settings, as an upgrade does. */
  async replaceWith(main: string): Promise<void> {
    this.#isAway = true
    await this.#process.stop()
    this.#main = main
    this.#process = this.#start()
    this.#isAway = false
  }

  async haltFor(ms: number): Promise<void> {
    const halted = this.#process
    halted.signal('SIGSTOP')
    await sleep(ms)
    halted.signal('SIGCONT')
  }

  async stop(): Promise<void> {
    this.#isWanted = false
    await this.#process.stop()
  }

  #watched(process: HouseProcess): HouseProcess {
    void process.ended().then(async (how) => {
      if (!this.#isWanted || this.#isAway) return
      this.#isAway = true
      const words = [process.complaints.trim(), ...process.lines.slice(-12)].filter(Boolean).join('\n    ')
      this.crashes.push(`${this.name} ended by itself (${how}):\n    ${words}`)
      this.#log(`CRASHED: ${this.crashes.at(-1)}`)
      await sleep(PAUSE_MS)
      this.#process = this.#start()
      this.#isAway = false
    })
    return process
  }
}

/** The pause before a restart, which is `RestartSec` of the units. */
const PAUSE_MS = 2_000

export interface PostProgram {
  readonly name: string
  readonly main: string
  readonly args: readonly string[]
  readonly settings: Readonly<Record<string, string>>
  /** The file for the output of the process. */
  readonly logFile?: string
}
