import type { AtCommand, AtOutcome } from '../dialogue/command.ts'
import type { StartupContext } from './startup-context.ts'

type SetupDialogue = StartupContext['dialogue']

/**
 * Shortens the waits of setup for a modem that does not answer commands it does not support. Usual modems answer them
 * with an error. Otherwise the unsupported commands together would take more than four minutes.
 *
 * The modem counts as silent when it has left three commands unanswered and has never answered with an error. Between
 * these commands it has answered the questions of the resynchronisation, so it is not just slow.
 */
export function withBriefWaits(dialogue: SetupDialogue): SetupDialogue {
  let silences = 0
  let hasErrors = false
  return {
    get telemetry() {
      return dialogue.telemetry
    },
    resynchronise: () => dialogue.resynchronise(),
    learn: (forms) => dialogue.learn(forms),
    writeRaw: (text) => dialogue.writeRaw(text),
    async execute(command, cancellation) {
      const isBrief = silences >= silencesToBeSure && !hasErrors
      const outcome = await dialogue.execute(isBrief ? withBriefWait(command) : command, cancellation)
      hasErrors ||= outcome.kind === 'error'
      if (isSilence(outcome)) silences += 1
      return outcome
    },
  }
}

const silencesToBeSure = 3

function isSilence(outcome: AtOutcome): boolean {
  return outcome.kind === 'unanswered' && outcome.why === 'timeout' && outcome.lines.length === 0
}

/** Keeps the time limit of a command that switches the radio on or enters the PIN. */
function withBriefWait(command: AtCommand): AtCommand {
  if (command.timeoutMs > longestBriefMs || command.sensitivity === 'secret') return command
  return { ...command, timeoutMs: command.timeoutMs * briefShare }
}

const longestBriefMs = 15_000
/** A second for most commands, two for a question to the SIM. */
const briefShare = 0.2
