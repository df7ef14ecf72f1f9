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

export function findingLines({ level, subject, words, advice }: Finding): readonly string[] {
  const line = `${level.padEnd(5)}${subject}: ${words}`
  return advice === undefined ? [line] : [line, `     → ${advice}`]
}
