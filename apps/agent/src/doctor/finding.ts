import type { AgentEvent } from '@smsgw/contract/link/event'

/** The result of one check: what was checked, the result, and what to do about a problem. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail'
  readonly subject: string
  readonly text: string
  readonly advice?: string
  readonly fix?: Fix
}

/** Commands that need root and solve the problem, in order. */
export interface Fix {
  readonly about: string
  readonly commands: readonly (readonly string[])[]
}

export const ok = (subject: string, text: string): Finding => ({ level: 'ok', subject, text })
export const warn = (subject: string, text: string, advice: string): Finding => ({
  level: 'warn',
  subject,
  text,
  advice,
})
export const fail = (subject: string, text: string, advice: string): Finding => ({
  level: 'fail',
  subject,
  text,
  advice,
})

/** Converts a finding to the format of the link. */
export function findingForRelay({ level, subject, text, advice }: Finding): RelayFinding {
  return {
    check: subject.slice(0, maxSubjectLength),
    verdict: verdicts[level],
    text: text.slice(0, maxTextLength),
    ...(advice !== undefined && { advice: advice.slice(0, maxTextLength) }),
  }
}

type RelayFinding = Extract<AgentEvent, { readonly kind: 'examined' }>['findings'][number]

const verdicts = { ok: 'ok', warn: 'warning', fail: 'problem' } as const
const maxSubjectLength = 100
const maxTextLength = 1_000

export function findingLines({ level, subject, text, advice }: Finding): readonly string[] {
  const line = `${level.padEnd(5)}${subject}: ${text}`
  return advice === undefined ? [line] : [line, `     → ${advice}`]
}
