import type { Clock, Timer } from '../clock.ts'
import { type Executor, runQuery } from '../commands/query.ts'
import type { ResponseLine } from '../wire/response-line.ts'
import { standardToolkitCode, type ToolkitCode } from './toolkit-code.ts'

/**
 * Responds to the commands of the SIM toolkit, so that the SIM is free again. A response is sent after the command in
 * flight and before the next message. A response is sent only once, because the modem itself ends an unanswered session
 * after some minutes.
 */
export class ToolkitResponder {
  readonly #executor: Executor
  readonly #clock: Clock
  #codes: readonly ToolkitCode[] = [standardToolkitCode]
  #pending: string | undefined
  #timer: Timer | undefined
  #respondedAtMs = Number.NEGATIVE_INFINITY

  constructor(executor: Executor, clock: Clock) {
    this.#executor = executor
    this.#clock = clock
  }

  /** Adds the codes of the vendor, when the vendor is known. */
  learn(codes: readonly ToolkitCode[]): void {
    this.#codes = codes
  }

  /** Handles an unsolicited code. Most codes are not commands of the SIM toolkit. */
  handle(line: ResponseLine): void {
    const code = this.#codes.find((known) => known.code === line.prefix)
    const commands = code?.responses(line.body) ?? []
    // Ignores a repeated code, because the modem repeats the code while it waits.
    if (commands.length === 0 || this.#pending === commands.join()) return
    this.#pending = commands.join()
    this.#timer?.cancel()
    // Waits between two responses. Without this pause, a SIM that always sends its next command immediately would keep
    // the port busy.
    const delayMs = this.#respondedAtMs + shortestIntervalMs - this.#clock.nowMs()
    if (delayMs > 0) this.#timer = this.#clock.after(delayMs, () => void this.#respond(commands))
    else void this.#respond(commands)
  }

  /** Discards the pending command, because the modem and the SIM have restarted. */
  forget(): void {
    this.#timer?.cancel()
    this.#pending = undefined
  }

  async #respond(commands: readonly string[]): Promise<void> {
    this.#respondedAtMs = this.#clock.nowMs()
    for (const text of commands) await runQuery(this.#executor, { text, timeoutMs: 10_000, read: () => true })
    if (this.#pending === commands.join()) this.#pending = undefined
  }
}

const shortestIntervalMs = 2_000
