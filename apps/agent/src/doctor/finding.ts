import type { FindingMeaning } from '@smsgw/contract/devices/finding-code'
import type { AgentEvent } from '@smsgw/contract/link/event'

/** The result of one check, and how to solve the problem if there is one. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail'
  readonly subject: string
  readonly text: string
  readonly advice?: string
  readonly fix?: Fix
  readonly meaning?: FindingMeaning
  /** The SIM that was checked. */
  readonly simNumber?: number
  /** Shell commands that solve the problem. A person must run them on the machine. */
  readonly commands?: readonly string[]
}

/** A finding with a code. The console uses the code to show the finding in other languages. */
export type CodedFinding = Finding & { readonly meaning: FindingMeaning }

/** Commands that solve the problem, in order. */
export interface Fix {
  readonly about: string
  readonly commands: readonly FixCommand[]
}

/**
 * One of three kinds: a program with its arguments, which needs root; a line for the shell, which contains sudo if
 * necessary; or a function of this process with its description. `run` returns true if it succeeded.
 */
export type FixCommand = readonly string[] | string | { readonly line: string; readonly run: () => Promise<boolean> }

/** Returns the command as a person types it. Returns no text for a step that only the doctor can do. */
function shellLine(command: FixCommand): readonly string[] {
  if (typeof command === 'string') return [command]
  return 'run' in command ? [] : [['sudo', ...command].join(' ')]
}

export function okFinding(subject: string, text: string): Finding
export function okFinding(subject: string, text: string, meaning: FindingMeaning): CodedFinding
export function okFinding(subject: string, text: string, meaning?: FindingMeaning): Finding {
  return { level: 'ok', subject, text, ...(meaning && { meaning }) }
}

export function warnFinding(subject: string, text: string, advice: string): Finding
export function warnFinding(subject: string, text: string, advice: string, more: Meaning): CodedFinding
export function warnFinding(subject: string, text: string, advice: string, more?: Meaning): Finding {
  return { ...problem('warn', subject, text, advice), ...(more && withMeaning(more)) }
}

export function failFinding(subject: string, text: string, advice: string): Finding
export function failFinding(subject: string, text: string, advice: string, more: Meaning): CodedFinding
export function failFinding(subject: string, text: string, advice: string, more?: Meaning): Finding {
  return { ...problem('fail', subject, text, advice), ...(more && withMeaning(more)) }
}

/** The code of a problem, and the commands that solve it. */
type Meaning = FindingMeaning & { readonly commands?: readonly string[] }

const problem = (level: 'warn' | 'fail', subject: string, text: string, advice: string): Finding => ({
  level,
  subject,
  text,
  advice,
})

function withMeaning({ commands, ...meaning }: Meaning) {
  return { meaning: meaning as FindingMeaning, ...(commands && { commands }) }
}

/** Converts a finding to the format of the link. */
export function findingForRelay({
  level,
  subject,
  text,
  advice,
  meaning,
  simNumber,
  commands,
  fix,
}: Finding): RelayFinding {
  const shell = commands ?? fix?.commands.flatMap(shellLine)
  return {
    check: subject.slice(0, maxSubjectLength),
    verdict: verdicts[level],
    text: text.slice(0, maxTextLength),
    ...(advice !== undefined && { advice: advice.slice(0, maxTextLength) }),
    ...(meaning && { code: meaning.code }),
    ...(meaning?.values && { values: shortened(meaning.values) }),
    ...(simNumber !== undefined && { simNumber }),
    // Leaves out all commands if one command is too long, because a shortened command could have another effect.
    ...(shell?.every(({ length }) => length <= maxValueLength) && { commands: shell.slice(0, maxCommands) }),
  }
}

type RelayFinding = Extract<AgentEvent, { readonly kind: 'examined' }>['findings'][number]

const verdicts = { ok: 'ok', warn: 'warning', fail: 'problem' } as const
const maxSubjectLength = 100
const maxTextLength = 1_000
const maxValueLength = 500
const maxCommands = 8

function shortened(values: NonNullable<FindingMeaning['values']>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries<string | number>(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.slice(0, maxValueLength) : value,
    ]),
  )
}

export function findingLines({ level, subject, text, advice }: Finding): readonly string[] {
  const line = `${level.padEnd(5)}${subject}: ${text}`
  return advice === undefined ? [line] : [line, `     → ${advice}`]
}
