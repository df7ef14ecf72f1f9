import type { CommandError } from '../dialogue/errors/command-error.ts'
import { type ErrorClass, pinAdvice } from '../dialogue/errors/error-meaning.ts'

/**
 * Describes an error code of the web interface. The meanings come from the published lists of several client libraries.
 */
export function hilinkError(code: number, message: string | undefined): CommandError {
  const { class: errorClass, words, advice, retryAfterMs } = meanings.get(code) ?? undocumented
  return {
    source: 'hilink',
    code,
    text: message ? `${code}: ${message.slice(0, 200)}` : `${code}`,
    class: errorClass,
    words,
    advice,
    retryAfterMs,
    alarm: errorClass === 'sim' ? 'sim' : 'none',
  }
}

export const loginRequired = 100_003
export const ussdPending = 111_019

interface Meaning {
  readonly class: ErrorClass
  readonly words: string
  readonly advice: string
  readonly retryAfterMs: number | undefined
}

function meaning(errorClass: ErrorClass, words: string, advice: string, retryAfterMs?: number): Meaning {
  return { class: errorClass, words, advice, retryAfterMs }
}

const undocumented = meaning(
  'unknown',
  'The stick gave an undocumented error code.',
  'If the problem persists, restart the stick and report the code.',
)

const checkSim = 'Put the SIM into a phone and check that the SIM works there.'
const shorten = 'Check the number and the text, and shorten the text.'

const meanings: ReadonlyMap<number, Meaning> = new Map([
  [100_002, meaning('unsupported', 'The stick does not support this request.', 'Update the firmware of the stick.')],
  [
    loginRequired,
    meaning('sim', 'The web interface requires a login.', 'Switch the login off in the web interface.', 60_000),
  ],
  [100_004, meaning('temporary', 'The stick is busy.', 'No action needed: the agent tries again.', 5_000)],
  [100_005, meaning('permanent', 'The stick cannot read the request.', shorten)],
  [100_006, meaning('permanent', 'The stick refuses the number or the text.', shorten)],
  [108_006, meaning('sim', 'The stick refuses the username or the password.', 'Correct HILINK_PASSWORD.')],
  [
    108_007,
    meaning(
      'sim',
      'The stick has had too many wrong logins.',
      'Correct HILINK_PASSWORD, and wait until the stick allows logins again.',
    ),
  ],
  [101_001, meaning('sim', 'There is no valid SIM in the stick.', checkSim)],
  [101_002, meaning('sim', 'The SIM requires its PIN.', pinAdvice)],
  [101_003, meaning('sim', 'The SIM is locked and requires its PUK.', checkSim)],
  [103_002, meaning('sim', 'The SIM refused the PIN.', `${pinAdvice} The wrong PIN is not entered again.`)],
  [112_008, meaning('sim', 'The SIM is not ready.', checkSim)],
  [111_013, meaning('temporary', 'Another USSD session is open.', 'Try again later.')],
  [111_014, meaning('permanent', 'The USSD text is too long.', 'Shorten the text.')],
  [111_020, meaning('temporary', 'The network did not answer in time.', 'Try again later.')],
  [
    111_022,
    meaning('unsupported', 'The network does not support this USSD code.', 'Check the code with the provider.'),
  ],
  [113_017, meaning('permanent', 'The stick refuses the number or the text.', shorten)],
  [
    113_053,
    meaning('storage', 'The message memory of the stick is full.', 'Delete messages in the web interface.', 60_000),
  ],
  [113_054, meaning('permanent', 'The phone number is too long.', 'Check the number.')],
])
