import type { SenderOptions } from './sender-options.ts'
import type { SendingSim } from './sim.ts'

/** When this SIM began messages in the last day: what was sent before a start counts for the limits. */
export async function sentLately(
  { journal, time, onTrouble }: Pick<SenderOptions, 'journal' | 'time' | 'onTrouble'>,
  { iccid }: SendingSim,
): Promise<readonly number[]> {
  try {
    return await journal.read('sent-lately', { iccid, sinceMs: time.now().wallMs - dayMs })
  } catch (error) {
    // Better than a SIM that sends nothing until its modem starts again.
    onTrouble(error)
    return []
  }
}

const dayMs = 24 * 60 * 60_000
