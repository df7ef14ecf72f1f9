const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const sameYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const otherYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

/** "2 min ago", "in 3 hr", and a date when that is a week or more away. */
export function relativeWords(at: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(at) - nowMs) / 1000)
  const distance = Math.abs(seconds)
  if (distance < 10) return 'now'
  if (distance >= 7 * 86_400) return dateWords(at, nowMs)
  const [unit, size] = steps.find(([, step]) => distance >= step) ?? ['second', 1]
  // What is nearly a day away is not "in 23 hr"; what is past was at least so long ago.
  const count = Math.trunc((seconds > 0 ? seconds + size / 60 : seconds) / size)
  // "min." would end every sentence that it stands in.
  return words.format(count, unit).replace('.', '')
}

export function fullWords(at: string): string {
  return full.format(new Date(at))
}

/** As short as it can be with day and time. */
export function momentWords(at: string): string {
  return moment.format(new Date(at))
}

export function clockWords(at: string): string {
  return clock.format(new Date(at))
}

/** How long something took: 320 ms, 4.2 s, 3 min 5 s, 2 h 10 min. */
export function durationWords(ms: number): string {
  if (ms < 1_000) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`
}

export function sizeWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(0)} KiB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

function dateWords(at: string, nowMs: number): string {
  const date = new Date(at)
  return (date.getFullYear() === new Date(nowMs).getFullYear() ? sameYear : otherYear).format(date)
}
