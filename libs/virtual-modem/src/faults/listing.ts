import type { FaultControl } from '../fault-control.ts'
import { fault } from './fault-description.ts'
import { intrudingLine } from './unsolicited.ts'

export const listingFaults = {
  'list-hang': fault('CMGL never ends, and the modem with it, until a reset'),
  'list-newline-missing': fault('No line end before the next +CMGL:'),
}

/** The entries of a listing with what faults put between them. */
export function disturbedListing(faults: FaultControl, entries: readonly string[], usual: () => string): string[] {
  const lines: string[] = []
  for (const [index, entry] of entries.entries()) {
    const intruder = index > 0 ? intrudingLine(faults, 'urc-inside-list', usual) : undefined
    if (intruder !== undefined) lines.push(`\r\n${intruder}`)
    if (index > 0 && faults.strike('list-newline-missing')) lines.push(`${lines.pop() ?? ''}${entry}`)
    else lines.push(entry)
  }
  return lines
}
