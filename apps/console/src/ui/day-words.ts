const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long' })
const date = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'long' })
const dateOfYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', year: 'numeric' })

const shortDate = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })

const dayMs = 86_400_000

/** What a person calls that day. */
export function dayWords(at: string, nowMs: number): string {
  const then = new Date(at)
  const now = new Date(nowMs)
  const days = Math.round((midnightOf(now) - midnightOf(then)) / dayMs)
  if (days === 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days > 1 && days < 7) return weekday.format(then)
  return (then.getFullYear() === now.getFullYear() ? date : dateOfYear).format(then)
}

/** Where there is little room. */
export function shortDayWords(at: string): string {
  return shortDate.format(new Date(at))
}

/** The first of another day than the one before; of what began today that need not be said. */
export function beginsDay(before: string | undefined, at: string, nowMs = Date.now()): boolean {
  return new Date(before ?? nowMs).toDateString() !== new Date(at).toDateString()
}

function midnightOf(time: Date): number {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime()
}
