import type { FaultControl } from '../fault-control.ts'
import { fault } from './fault-description.ts'

export const storageFaults = {
  'storage-full': fault('Nothing more fits: CMS 322, ^SMMEMFULL, no +CMTI'),
  'cmti-other-memory': fault('New messages go to SM while CPMS names ME'),
  'cdsi-wrong-memory': fault('+CDSI says SM,0 for a report in another memory'),
  'cds-extra-comma': fault('+CDS: ,25'),
  'cmt-without-alpha': fault('+CMT: 24 instead of +CMT: ,24'),
  'cpms-lag': fault('CPMS does not count a message that has just come', { lagMs: 500 }),
  'delete-refused': fault('CMGD is refused', { code: 321 }),
  'cmti-twice': fault('The same +CMTI comes twice'),
  'urc-lost': fault('A +CMTI or +CDSI is not sent'),
}

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
