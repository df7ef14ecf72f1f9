import type { Incoming } from '@smsgw/modem/incoming-message'
import { textFromAddress } from '@smsgw/sms/address'
import { hexFromOctets } from '@smsgw/sms/octets'
import { statusFromOctet } from '@smsgw/sms/status'
import { type InvalidTimeStamp, isValidTimeStamp, type TimeStamp } from '@smsgw/sms/time-stamp'
import { textOfUserData } from '@smsgw/sms/user-data'
import { concatenationOf } from '@smsgw/sms/user-data-header'
import { linesOf } from './printable.ts'

/** One line about where it is and who it is from, and what it says below. */
export function messageLines(incoming: Incoming): readonly string[] {
  const place = incoming.source.kind === 'stored' ? `${incoming.source.memory} ${incoming.source.index}` : 'not stored'
  switch (incoming.kind) {
    case 'message': {
      const { originator, serviceCentreTimeStamp, userData } = incoming.deliver
      const part = concatenationOf(userData.header)
      const about = [
        place,
        `from ${textFromAddress(originator)}`,
        timeWords(serviceCentreTimeStamp),
        part && `part ${part.sequence} of ${part.total} (reference ${part.reference})`,
        incoming.flash ? 'flash' : undefined,
      ]
      const text = textOfUserData(userData) ?? `data ${hexFromOctets(userData.units)}`
      return [about.filter(Boolean).join(', '), ...linesOf(text).map((line) => `    ${line}`)]
    }
    case 'status-report': {
      const { recipient, messageReference, status, dischargeTime } = incoming.report
      const { outcome, words } = statusFromOctet(status)
      const about = `report on ${messageReference} to ${textFromAddress(recipient)}: ${outcome} (${words})`
      return [`${place}, ${about}, ${timeWords(dischargeTime)}`]
    }
    case 'unreadable':
      return [`${place}, cannot be read (${incoming.why}): ${incoming.pdu}`]
  }
}

function timeWords(time: TimeStamp | InvalidTimeStamp): string {
  if (!isValidTimeStamp(time)) return 'without a time'
  const two = (value: number) => String(value).padStart(2, '0')
  return `${time.year}-${two(time.month)}-${two(time.day)} ${two(time.hour)}:${two(time.minute)}:${two(time.second)}`
}
