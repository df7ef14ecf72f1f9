import type { AgentEvent } from '@smsgw/contract/link/event'

/** What was looked at, how it is, and what to do when it is not well. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail'
  readonly subject: string
  readonly words: string
  readonly advice?: string
}

export const ok = (subject: string, words: string): Finding => ({ level: 'ok', subject, words })
export const warn = (subject: string, words: string, advice: string): Finding => ({
  level: 'warn',
  subject,
  words,
  advice,
})
export const fail = (subject: string, words: string, advice: string): Finding => ({
  level: 'fail',
  subject,
  words,
  advice,
})

/** As it crosses the link. */
export function toldFinding({ level, subject, words, advice }: Finding): ToldFinding {
  return {
    check: subject.slice(0, longestSubject),
    verdict: verdicts[level],
    text: words.slice(0, longestWords),
    ...(advice !== undefined && { advice: advice.slice(0, longestWords) }),
  }
}

type ToldFinding = Extract<AgentEvent, { readonly kind: 'examined' }>['findings'][number]

const verdicts = { ok: 'ok', warn: 'warning', fail: 'problem' } as const
const longestSubject = 100
const longestWords = 1_000

export function findingLines({ level, subject, words, advice }: Finding): readonly string[] {
  const line = `${level.padEnd(5)}${subject}: ${words}`
  return advice === undefined ? [line] : [line, `     → ${advice}`]
}
