import type { ModemExamination } from '../doctor/examine-modem.ts'

/** True if `AT+CMGS` was written to the first modem. */
export function isSubmitting(modems: readonly ModemExamination[] | undefined): boolean {
  const sent = modems?.[0]?.trace.filter((line) => line.includes('→')) ?? []
  return sent.some((line) => line.includes('AT+CMGS='))
}
