import { intrudingLine } from './dialogue.ts'
import type { FaultControl } from './fault-control.ts'

export function storageIsFull(faults: FaultControl): boolean {
  return faults.strike('storage-full') !== undefined
}

export function storageForArrival(faults: FaultControl, named: string): string {
  return named === 'ME' && faults.strike('cmti-other-memory') ? 'SM' : named
}

export function reportIndication(faults: FaultControl, memory: string, index: number): string {
  return faults.strike('cdsi-wrong-memory') ? '+CDSI: "SM",0' : `+CDSI: "${memory}",${index}`
}

export function reportHead(faults: FaultControl, length: number): string {
  return faults.strike('cds-extra-comma') ? `+CDS: ,${length}` : `+CDS: ${length}`
}

export function messageHead(faults: FaultControl, alpha: string, length: number): string {
  return faults.strike('cmt-without-alpha') ? `+CMT: ${length}` : `+CMT: ${alpha},${length}`
}

/** The index of a message as the modem writes it. */
export function slotText(faults: FaultControl, slot: number): string {
  return faults.standing('slots-padded') ? String(slot).padStart(2, '0') : String(slot)
}

/** Returns the entries of a listing with the lines that faults insert. */
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
