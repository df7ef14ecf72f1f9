import { setTimeout as sleep } from 'node:timers/promises'
import { HouseProcess } from './process.ts'

/** A process that is started again whenever it ends, under the same settings, as a service manager does it. */
export class Post {
  readonly name: string
  /** How it ended without being told to: its last words. Nothing should. */
  readonly crashes: string[] = []
  readonly #start: () => HouseProcess
  #process: HouseProcess
  #isWanted = true
  /** It has ended, and is about to be started again. */
  #isAway = false
  readonly #tell: (line: string) => void

  constructor(program: Program, tell: (line: string) => void) {
    const { name, main, args, settings, logFile } = program
    this.name = name
    this.#tell = tell
    this.#start = () =>
      this.#watched(new HouseProcess(name, main, args, settings, logFile === undefined ? {} : { logFile }))
    this.#process = this.#start()
  }

  /** Does nothing when it is away already. */
  async killFor(ms: number): Promise<void> {
    if (this.#isAway) return
    this.#isAway = true
    await this.#process.kill()
    await sleep(ms)
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
      this.#tell(`CRASHED: ${this.crashes.at(-1)}`)
      await sleep(PAUSE_MS)
      this.#process = this.#start()
      this.#isAway = false
    })
    return process
  }
}

/** As the units have it in RestartSec. */
const PAUSE_MS = 2_000

export interface Program {
  readonly name: string
  readonly main: string
  readonly args: readonly string[]
  readonly settings: Readonly<Record<string, string>>
  /** Everything that it says goes there. */
  readonly logFile?: string
}
