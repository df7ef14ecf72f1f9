import { type Connection, wordsOf } from './connection.ts'
import { eventLines } from './event-lines.ts'
import { identify } from './identify.ts'
import { print } from './print.ts'

/** Shows who it is, then all that happens to it, until the signal. */
export async function watch(connection: Connection, until: AbortSignal): Promise<void> {
  const stops = [
    connection.onEvent((event) => {
      showNews(eventLines(event))
      if (event.kind === 'started') void connection.ready('set-up').then(identify)
    }),
    connection.onNews((news) => {
      if (news.kind === 'raise-alarm') showNews([`alarm: ${wordsOf(news.cause)}`])
      else if (news.kind === 'clear-alarm') showNews(['alarm: over'])
      else if (news.by !== undefined) showNews([`recovered by: ${news.by}`])
    }),
  ]
  await aborted(until)
  // What giving the port back makes it say is no news.
  for (const stop of stops) stop()
}

export function aborted(until: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (until.aborted) resolve()
    else until.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** By what stands in front of the colon: what was said of it last. */
const saidLast = new Map<string, string>()

function showNews([first, ...rest]: readonly string[]): void {
  if (first === undefined) return
  const [subject = ''] = first.split(':')
  // Each registration domain and each look at the signal tells the same again.
  if (rest.length === 0 && subject !== 'message' && saidLast.get(subject) === first) return
  saidLast.set(subject, first)
  print(`${new Date().toTimeString().slice(0, 8)} ${first}`)
  for (const line of rest) print(line)
}
