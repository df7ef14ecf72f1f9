import type { FaultControl } from '../fault-control.ts'
import type { Random } from '../random.ts'
import { fault } from './fault-description.ts'

export const unsolicitedFaults = {
  'urc-before-answer': fault(
    'An unsolicited line between the echo and the answer; without a line: one of the vendor’s',
    {
      line: '',
    },
  ),
  'urc-inside-list': fault('An unsolicited line between two entries of CMGL', { line: '' }),
  'urc-before-pdu': fault('An unsolicited line between the prompt and the PDU', { line: '' }),
  'urc-flood': fault('The vendor’s status lines without end', { perSecond: 200 }),
  nitz: fault('Time lines from the network again and again', { everyMs: 10_000 }),
  'bytes-one-by-one': fault('Every byte comes alone, two-line notifications too'),
  noise: fault('NULs, blank lines and line garbage in front of answers'),
}

/** The line that comes where none should; undefined when the fault does not strike. */
export function intrudingLine(
  faults: FaultControl,
  place: 'urc-before-answer' | 'urc-inside-list' | 'urc-before-pdu',
  usual: () => string,
): string | undefined {
  const intruder = faults.strike(place)
  return intruder && (intruder.line === '' ? usual() : intruder.line)
}

export function noiseNow(faults: FaultControl, random: Random): string {
  if (!faults.strike('noise')) return ''
  const kind = random.integer(4)
  if (kind === 0) return '\x00'
  if (kind === 1) return '\r\n\r\n'
  if (kind === 2) return '\r\r\n'
  // Never a letter, a digit or one of the signs that answers begin with: noise is no answer of its own.
  return Array.from({ length: 1 + random.integer(6) }, () => String.fromCharCode(0x80 + random.integer(0x7f))).join('')
}
