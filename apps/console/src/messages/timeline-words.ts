import type { TimelineEntry } from '@smsgw/contract/timeline'
import type { Waiting } from '@smsgw/contract/waiting'
import { durationWords, momentWords } from '../ui/relative-words.ts'
import { isolate, locale, optionalText, t } from '../words/text.ts'

export type TimelineTone = 'plain' | 'good' | 'warn' | 'bad' | 'aside'

const tones: Readonly<Record<string, TimelineTone>> = {
  delivered: 'good',
  sent: 'good',
  'part-refused': 'bad',
  refused: 'bad',
  failed: 'bad',
  'in-doubt': 'warn',
  held: 'warn',
  waiting: 'warn',
  cancelled: 'warn',
}

export function toneOf({ kind, webhook }: TimelineEntry): TimelineTone {
  if (kind !== 'webhook-attempt') return tones[kind] ?? 'plain'
  const status = webhook?.httpStatus
  return status !== undefined && status >= 200 && status < 300 ? 'aside' : 'warn'
}

/** Time since the previous step; empty for the first step and for steps at the same time. */
export function sinceWords(before: string | undefined, at: string): string {
  const ms = before === undefined ? 0 : Date.parse(at) - Date.parse(before)
  return ms < 1 ? '' : `+${durationWords(ms)}`
}

export function partWords({ index, total }: { readonly index: number; readonly total: number }): string {
  return t('timeline.part', { index, total })
}

/** Replaces UTC times in a text of the API with local times. The text is English, so an Arabic time must stay in one piece. */
export function inLocalTime(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (moment) =>
    Number.isNaN(Date.parse(moment)) ? moment : inOnePiece(momentWords(moment)),
  )
}

function inOnePiece(text: string): string {
  return locale().direction === 'rtl' ? isolate(text) : text
}

type WaitEnd = 'latest' | 'continues' | 'nextTry'

const waitEnds: Readonly<Partial<Record<Waiting['reason'], WaitEnd>>> = {
  limit: 'continues',
  work_hours: 'continues',
  retry: 'nextTry',
  modem_busy: 'nextTry',
}

/** Why a message is not yet sent. */
export function waitingText({ reason, until, message }: Waiting): string {
  const why = optionalText(`waiting.${reason}`) ?? inLocalTime(message)
  if (until === undefined) return why
  const when = momentWords(until)
  if (reason === 'scheduled') return t('composer.scheduledFor', { when })
  return `${why} ${t(`waitingUntil.${waitEnds[reason] ?? 'latest'}`, { when })}`
}
