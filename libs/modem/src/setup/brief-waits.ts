import type { Cancellation } from '../cancellation.ts'
import type { Clock } from '../clock.ts'
import type { AtCommand, AtOutcome } from '../dialogue/command.ts'
import type { StartupContext } from './startup-context.ts'

type SetupDialogue = StartupContext['dialogue']

/**
 * Shortens the waits of setup for a modem that does not answer commands it does not support. Usual modems answer them
 * with an error. Without this, the unsupported commands together take more than four minutes.
 *
 * The modem counts as silent when it has left three commands unanswered and has never answered with an error. Commands
 * that need the SIM can be slow, and a slow command also delays the resynchronisation after it. Then the command is
 * repeated with its full time limit, and no later wait is shortened.
 */
export class BriefWaits implements SetupDialogue {
  readonly #dialogue: SetupDialogue
  readonly #clock: Clock
  #silences = 0
  #mayBeBrief = true

  constructor(dialogue: SetupDialogue, clock: Clock) {
    this.#dialogue = dialogue
    this.#clock = clock
  }

  get telemetry(): SetupDialogue['telemetry'] {
    return this.#dialogue.telemetry
  }

  resynchronise(): ReturnType<SetupDialogue['resynchronise']> {
    return this.#dialogue.resynchronise()
  }

  learn(...forms: Parameters<SetupDialogue['learn']>): void {
    this.#dialogue.learn(...forms)
  }

  writeRaw(text: string): void {
    this.#dialogue.writeRaw(text)
  }

  async execute(command: AtCommand, cancellation?: Cancellation): Promise<AtOutcome> {
    const isBrief = this.#mayBeBrief && this.#silences >= silencesToBeSure && mayWaitBriefly(command)
    const limited = isBrief ? { ...command, timeoutMs: command.timeoutMs * briefShare } : command
    const outcome = await this.#dialogue.execute(limited, cancellation)
    if (outcome.kind === 'error') this.#mayBeBrief = false
    if (!isSilence(outcome)) return outcome
    this.#silences += 1
    if (!isBrief || !(await this.#isBusy())) return outcome
    this.#mayBeBrief = false
    return this.#dialogue.execute(command, cancellation)
  }

  /** True if the modem does not answer at once, because it is still busy with the last command. */
  async #isBusy(): Promise<boolean> {
    const startedAtMs = this.#clock.nowMs()
    await this.#dialogue.resynchronise()
    return this.#clock.nowMs() - startedAtMs > idleAnswerMs
  }
}

function isSilence(outcome: AtOutcome): boolean {
  return outcome.kind === 'unanswered' && outcome.why === 'timeout' && outcome.lines.length === 0
}

/** False for a command that switches the radio on, and for the PIN, which must not be entered twice. */
function mayWaitBriefly({ timeoutMs, sensitivity }: AtCommand): boolean {
  return timeoutMs <= longestBriefMs && sensitivity !== 'secret'
}

const silencesToBeSure = 3
const longestBriefMs = 15_000
/** A second for most commands, two for a question to the SIM. */
const briefShare = 0.2
/** Longer than an idle modem takes to answer two short commands. */
const idleAnswerMs = 400
