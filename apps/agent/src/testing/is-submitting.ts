import type { ModemExamination } from '../doctor/examine-modem.ts'

/** Whether a message was written to the first modem. */
export function isSubmitting(modems: readonly ModemExamination[] | undefined): boolean {
  const sent = modems?.[0]?.trace.filter((line) => line.includes('→')) ?? []
  return sent.some((line) => line.includes('AT+CMGS='))
}
