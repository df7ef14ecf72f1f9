import type { FaultControl } from '../fault-control.ts'
import { fault } from './fault-description.ts'

export const promptFaults = {
  'prompt-missing': fault('No prompt comes; the data is taken all the same'),
  'prompt-late': fault('The prompt comes late', { delayMs: 3000 }),
  'prompt-without-space': fault('The prompt is a bare >'),
  'prompt-with-newline': fault('The prompt is > with a line end behind it'),
  'echo-stuck': fault('Echo stays on whatever ATE0 says'),
}

export function promptNow(faults: FaultControl): { readonly text: string; readonly delayMs: number } {
  const delayMs = faults.strike('prompt-late')?.delayMs ?? 0
  if (faults.strike('prompt-missing')) return { text: '', delayMs }
  if (faults.strike('prompt-without-space')) return { text: '\r\n>', delayMs }
  if (faults.strike('prompt-with-newline')) return { text: '\r\n>\r\n', delayMs }
  return { text: '\r\n> ', delayMs }
}
