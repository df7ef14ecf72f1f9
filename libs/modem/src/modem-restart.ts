import type { CommandError } from './command-error.ts'
import { resetCommand, selectFunctionality } from './commands/functionality.ts'
import { type Answer, ask, type Executor, type Query } from './commands/query.ts'
import type { Profile } from './profiles/profile.ts'

/** Radio off (or everything, where a modem cannot do that alone), and on again. */
export async function switchRadioOffAndOn(executor: Executor): Promise<void> {
  const off = await ask(executor, selectFunctionality(4))
  if (off.kind === 'refused') await ask(executor, selectFunctionality(0))
  await ask(executor, selectFunctionality(1))
}

/** The first command that the modem does not refuse; silence is what success looks like. */
export async function restartModem(executor: Executor, profile: Profile): Promise<void> {
  for (const text of profile.radio.resetCommands) {
    const answer = await ask(executor, resetCommand(text))
    if (answer.kind !== 'refused') return
  }
}

/** What takes the place of an answer when the profile knows that the command does harm. */
export function avoidedCommand<T>(query: Query<T>, profile: Profile | undefined): Answer<T> | undefined {
  const text = query.text.toUpperCase()
  if (!profile?.avoid.some((start) => text.startsWith(start))) return undefined
  const error: CommandError = {
    source: 'plain',
    code: undefined,
    text: '',
    class: 'unsupported',
    words: 'This command does harm on this modem and was not sent.',
    advice: 'Nothing to do: this modem does without.',
    retryAfterMs: undefined,
    alarm: 'none',
  }
  return { kind: 'refused', error, partial: undefined }
}
