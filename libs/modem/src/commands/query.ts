import type { Cancellation } from '../cancellation.ts'
import type { AtCommand, AtOutcome, NotSent, Unanswered } from '../dialogue/command.ts'
import type { CommandError } from '../dialogue/errors/command-error.ts'
import type { ResponseLine } from '../wire/response-line.ts'

/** A command whose answer is read into a value. */
export interface Query<T> extends AtCommand {
  /** Returns undefined if the lines contain no answer. Never throws. */
  readonly read: (lines: readonly ResponseLine[]) => T | undefined
  /**
   * True if some firmware sends this answer without a final result (Wavecom `+CPIN:`). If no final result arrives, the
   * answer counts as OK.
   */
  readonly finalResultOptional?: boolean
}

export type QueryAnswer<T> =
  | { readonly kind: 'value'; readonly value: T }
  /** The modem answered OK, but without a readable value. */
  | { readonly kind: 'unreadable'; readonly lines: readonly string[] }
  | { readonly kind: 'refused'; readonly error: CommandError; readonly partial: T | undefined }
  /**
   * The command was written, but no final result arrived. `partial` is the value read from the lines that did arrive.
   */
  | { readonly kind: 'unanswered'; readonly why: Unanswered; readonly partial: T | undefined }
  | { readonly kind: 'not-sent'; readonly why: NotSent }

/** Executes commands: the dialogue, or a fake in a test. */
export interface Executor {
  execute(command: AtCommand, cancellation?: Cancellation): Promise<AtOutcome>
}

export async function runQuery<T>(
  executor: Executor,
  query: Query<T>,
  cancellation?: Cancellation,
): Promise<QueryAnswer<T>> {
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

/** Returns the value of optional information, or undefined if the value is missing for any reason. */
export async function askIfKnown<T>(
  executor: Executor,
  query: Query<T>,
  cancellation?: Cancellation,
): Promise<T | undefined> {
  const answer = await runQuery(executor, query, cancellation)
  return answer.kind === 'value' ? answer.value : undefined
}

/** Returns the last line that has one of the prefixes. */
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
