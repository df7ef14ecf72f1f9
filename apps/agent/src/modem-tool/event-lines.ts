import type { UssdAnswer } from '@smsgw/modem/commands/ussd'
import type { ModemEvent } from '@smsgw/modem/modem-event'
import { messageLines } from './message-lines.ts'
import { linesOf } from './printable.ts'
import { signalWords, stateWords } from './state-words.ts'

/** What is worth showing of all that a modem has to say; none for what is not. */
export function eventLines(event: ModemEvent): readonly string[] {
  switch (event.kind) {
    case 'state':
      return [`state: ${stateWords(event.state)}`]
    case 'restarted':
      return [`restarted: it said ${event.sign}`]
    case 'registration': {
      const { best } = event
      if (best === undefined) return []
      return [`network: ${best.status}${best.technology === undefined ? '' : `, ${best.technology}`}`]
    }
    case 'signal': {
      const words = signalWords(event.signal)
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
    case 'network-time':
      return ['network time: told']
    case 'late-result':
      return [`late: message ${event.id} was ${event.outcome.kind} after all`]
    case 'said':
      return [`said: ${event.text}`]
    case 'not-read':
      return [`memory: ${event.memory} could not be read (${event.why})`]
    case 'content-missing':
      return [`message: ${event.code} came without its content`]
    case 'text-mode':
      return ['message: came as text, for the modem has forgotten PDU mode']
    case 'dialogue':
    case 'started':
    case 'submitted':
      return []
  }
}

function ussdLines({ status, text }: UssdAnswer): readonly string[] {
  if (text === undefined) return [`ussd: ${status}`]
  const [first = '', ...rest] = linesOf(text)
  return [`ussd: ${status}: ${first}`, ...rest.map((line) => `    ${line}`)]
}
