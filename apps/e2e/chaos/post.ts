import { setTimeout as sleep } from 'node:timers/promises'
import { HouseProcess } from '../src/house/process.ts'

/** A process that is started again whenever it ends, under the same settings, as a service manager does it. */
export class Post {
  readonly name: string
  /** How it ended without being told to: its last words. Nothing should. */
  readonly collapses: string[] = []
  readonly #start: () => HouseProcess
  #process: HouseProcess
  #isWanted = true
  /** It was killed, and is about to be started again. */
  #isAway = false

  constructor(name: string, main: string, args: readonly string[], settings: Readonly<Record<string, string>>) {
    this.name = name
    this.#start = () => this.#watched(new HouseProcess(name, main, args, settings))
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
    void process.ended().then((how) => {
      if (!this.#isWanted || this.#isAway) return
      const words = [process.complaints.trim(), ...process.lines.slice(-12)].filter(Boolean).join('\n    ')
      this.collapses.push(`${this.name} ended by itself (${how}):\n    ${words}`)
      this.#process = this.#start()
    })
    return process
  }
}
