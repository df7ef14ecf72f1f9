import type { FaultControl } from '../fault-control.ts'
import type { UssdReply } from '../network/ussd-menu.ts'
import { fault } from './fault-description.ts'

export const ussdFaults = {
  'ussd-late': fault('The USSD reply comes late', { delayMs: 60_000 }),
  'ussd-lost': fault('The USSD reply never comes'),
  'ussd-garbled': fault('The USSD reply cannot be read: half an octet, and a coding that does not fit'),
  'ussd-as-menu': fault('A USSD reply hides behind a menu of one more step'),
}

export function menuAround(faults: FaultControl, reply: UssdReply): UssdReply | undefined {
  if (reply.kind !== 'text' || reply.expectsAnswer || !faults.strike('ussd-as-menu')) return undefined
  return { kind: 'text', text: '1 Continue\n0 Exit', expectsAnswer: true }
}

export function garbled(faults: FaultControl, [string, coding]: readonly [string, number]): readonly [string, number] {
  if (!faults.strike('ussd-garbled')) return [string, coding]
  return [
    `${string.slice(0, string.length >> 1)}\x00\x9f${string.slice((string.length >> 1) + 3)}`,
    coding === 15 ? 17 : 0,
  ]
}
