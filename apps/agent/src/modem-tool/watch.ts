import type { UssdResponse } from '@smsgw/modem/commands/ussd/ussd'
import type { ModemEvent } from '@smsgw/modem/modem-event'
import { linesOf, printLine } from '../cli/terminal.ts'
import { stateText } from '../modems/modem-health.ts'
import { type Connection, wordsOf } from './connection.ts'
import { printIdentity, signalText } from './identify.ts'
import { messageLines } from './messages.ts'

/** Prints the identity of the modem, then its events, until the signal aborts. */
export async function watchModem(connection: Connection, until: AbortSignal): Promise<void> {
  const stops = [
    connection.onEvent((event) => {
      showLines(eventLines(event))
      if (event.kind === 'started') connection.ready('set-up').then(printIdentity, () => undefined)
    }),
    connection.onNews((news) => {
      if (news.kind === 'raise-alarm') showLines([`alarm: ${wordsOf(news.cause)}`])
      else if (news.kind === 'clear-alarm') showLines(['alarm: cleared'])
      else if (news.by !== undefined) showLines([`recovered by: ${news.by}`])
    }),
  ]
  // A modem that never becomes ready is an error; a modem that was ready may recover.
  await Promise.race([connection.ready('set-up'), aborted(until)])
  await aborted(until)
  // Stops listening first, because closing the port causes events that are not of interest.
  for (const stop of stops) stop()
}

export function aborted(until: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (until.aborted) resolve()
    else until.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** The last line printed about each subject. The subject is the part of the line before the colon. */
const lastLines = new Map<string, string>()

function showLines([first, ...rest]: readonly string[]): void {
  if (first === undefined) return
  const [subject = ''] = first.split(':')
  // Skips a line that repeats the last line about its subject, because each registration domain and each signal check
  // reports the same state again.
  if (rest.length === 0 && subject !== 'message' && lastLines.get(subject) === first) return
  lastLines.set(subject, first)
  printLine(`${new Date().toTimeString().slice(0, 8)} ${first}`)
  for (const line of rest) printLine(line)
}

/** Formats an event of the modem. Returns no lines for events that are not shown. */
export function eventLines(event: ModemEvent): readonly string[] {
  switch (event.kind) {
    case 'state':
      return [`state: ${stateText(event.state)}`]
    case 'restarted':
      return [`restarted: ${event.sign}`]
    case 'registration': {
      const { best } = event
      if (best === undefined) return []
      return [`network: ${best.status}${best.technology === undefined ? '' : `, ${best.technology}`}`]
    }
    case 'signal': {
      const words = signalText(event.signal)
      return words === undefined ? [] : [`signal: ${words}`]
    }
    case 'storage': {
      const { memory, used, total, full } = event.gauge
      return [`memory: ${memory} ${used} of ${total}${full ? ', full' : ''}`]
    }
    case 'incoming': {
      const [first = '', ...rest] = messageLines(event.incoming)
      return [`message: ${first}`, ...rest]
    }
    case 'ussd':
      return ussdLines(event.answer)
    case 'call':
      return [`call: from ${event.call.number ?? 'a withheld number'}`]
    case 'network-time':
      return ['network time: received']
    case 'operator-selection':
      return [`operator: ${event.selection.kind}`]
    case 'late-result':
      return [`late result: message ${event.id} was ${event.outcome.kind}`]
    case 'said':
      return [`said: ${event.text}`]
    case 'not-read':
      return [`memory: ${event.memory} could not be read (${event.why})`]
    case 'not-deleted':
      return [`memory: a message could not be deleted from ${event.memory} (${event.why})`]
    case 'content-missing':
      return [`message: ${event.code} arrived without content`]
    case 'text-mode':
      return ['message: arrived in text mode, because the modem has lost its PDU mode setting']
    case 'dialogue':
    case 'started':
    case 'submitted':
      return []
  }
}

function ussdLines({ status, text }: UssdResponse): readonly string[] {
  if (text === undefined) return [`ussd: ${status}`]
  const [first = '', ...rest] = linesOf(text)
  return [`ussd: ${status}: ${first}`, ...rest.map((line) => `    ${line}`)]
}
