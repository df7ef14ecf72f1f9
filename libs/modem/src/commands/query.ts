import type { Cancellation } from '../cancellation.ts'
import type { Command, CommandOutcome, NotSent, Unanswered } from '../command.ts'
import type { CommandError } from '../command-error.ts'
import type { ResponseLine } from '../response-line.ts'

/** A command whose answer is read into a value. */
export interface Query<T> extends Command {
  /** Undefined when the lines hold no answer. Never throws, whatever they hold. */
  readonly read: (lines: readonly ResponseLine[]) => T | undefined
  /** Some firmware gives this answer and no final result behind it (Wavecom `+CPIN:`): silence then counts as OK. */
  readonly finalResultOptional?: boolean
}

export type Answer<T> =
  | { readonly kind: 'value'; readonly value: T }
  /** OK, and nothing in front of it that can be read. */
  | { readonly kind: 'unreadable'; readonly lines: readonly string[] }
  | { readonly kind: 'refused'; readonly error: CommandError; readonly partial: T | undefined }
  /** Written, and no final result came. `partial`: what the lines held that did come. */
  | { readonly kind: 'unanswered'; readonly why: Unanswered; readonly partial: T | undefined }
  | { readonly kind: 'not-sent'; readonly why: NotSent }

/** Who executes commands: the dialogue, or a part of it that a test plays. */
export interface Executor {
  execute(command: Command, cancellation?: Cancellation): Promise<CommandOutcome>
}

export async function ask<T>(executor: Executor, query: Query<T>, cancellation?: Cancellation): Promise<Answer<T>> {
  const outcome = await executor.execute(query, cancellation)
  if (outcome.kind === 'not-sent') return { kind: 'not-sent', why: outcome.why }
  const value = query.read(outcome.lines)
  switch (outcome.kind) {
    case 'ok':
      return value === undefined
        ? { kind: 'unreadable', lines: outcome.lines.map((line) => line.text) }
        : { kind: 'value', value }
    case 'error':
      return { kind: 'refused', error: outcome.error, partial: value }
    case 'unanswered':
      return query.finalResultOptional && outcome.why === 'timeout' && value !== undefined
        ? { kind: 'value', value }
        : { kind: 'unanswered', why: outcome.why, partial: value }
  }
}

/** The value, or undefined for whatever reason: for what is good to know and not needed. */
export async function askIfKnown<T>(
  executor: Executor,
  query: Query<T>,
  cancellation?: Cancellation,
): Promise<T | undefined> {
  const answer = await ask(executor, query, cancellation)
  return answer.kind === 'value' ? answer.value : undefined
}

/** The last line with one of the prefixes. Bodies of the others are no answer. */
export function lastWith(lines: readonly ResponseLine[], ...prefixes: readonly string[]): ResponseLine | undefined {
  return lines.findLast((line) => prefixes.includes(line.prefix))
}

export function firstIn<T>(lines: readonly ResponseLine[], read: (line: ResponseLine) => T | undefined): T | undefined {
  for (const line of lines) {
    const value = read(line)
    if (value !== undefined) return value
  }
  return undefined
}
