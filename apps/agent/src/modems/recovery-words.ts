import type { AlarmCause, RecoveryEffect } from '@smsgw/modem/recovery-state'

export type RecoveryNews = Extract<RecoveryEffect, { kind: 'raise-alarm' | 'clear-alarm' | 'healed' }>

/** That a modem works again, and what helped. */
export function healedWords({ by, tookMs }: Pick<Extract<RecoveryNews, { kind: 'healed' }>, 'by' | 'tookMs'>): string {
  return `it works again${by === undefined ? '' : `, after ${remedies[by]}`} (${Math.round(tookMs / 1000)} s)`
}

/** Why a modem cannot be used, and what to do. */
export function alarmWords(cause: AlarmCause): string {
  switch (cause.kind) {
    case 'needs-hands':
      return `${cause.failure.words} ${cause.failure.advice}`
    case 'port-refused':
      return cause.words
    case 'gone':
      return `${cause.words}. It is used again as soon as it is back`
    case 'no-remedy':
      return `${cause.words} Look at its power supply and cable, then plug it in anew`
  }
}

const remedies = {
  resynchronise: 'getting in step with it',
  reopen: 'opening its port anew',
  're-initialise': 'setting it up anew',
  'restart-radio': 'switching its radio off and on',
  reset: 'a reset',
} as const
