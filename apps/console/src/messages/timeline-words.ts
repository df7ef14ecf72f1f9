import type { TimelineEntry } from '@smsgw/contract/timeline'
import { durationWords, momentWords } from '../ui/relative-words.ts'

export type TimelineTone = 'plain' | 'good' | 'warn' | 'bad' | 'aside'

const tones: Readonly<Record<string, TimelineTone>> = {
  delivered: 'good',
  sent: 'good',
  'part-refused': 'bad',
  failed: 'bad',
  'in-doubt': 'warn',
  waiting: 'warn',
  cancelled: 'warn',
}

export function toneOf({ kind, webhook }: TimelineEntry): TimelineTone {
  if (kind !== 'webhook-attempt') return tones[kind] ?? 'plain'
  const status = webhook?.httpStatus
  return status !== undefined && status >= 200 && status < 300 ? 'aside' : 'warn'
}

/** How long it took since the step before; nothing for the first one, and for two in the same moment. */
export function sinceWords(before: string | undefined, at: string): string {
  const ms = before === undefined ? 0 : Date.parse(at) - Date.parse(before)
  return ms < 1 ? '' : `+${durationWords(ms)}`
}

export function partWords({ index, total }: { readonly index: number; readonly total: number }): string {
  return `part ${index} of ${total}`
}

/** A moment in a text, which the API tells in universal time, as the clock on the wall has it. */
export function inLocalTime(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (moment) =>
    Number.isNaN(Date.parse(moment)) ? moment : momentWords(moment),
  )
}
