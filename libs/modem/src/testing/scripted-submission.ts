import type { DialogueEvent } from '../dialogue/dialogue.ts'
import type { LateResult } from '../send/doubt.ts'
import type { Submission } from '../send/submission.ts'
import { promisesSettled } from './manual-clock.ts'
import { dialogueInStep } from './scripted-dialogue.ts'

export const submission = (more: Partial<Submission> = {}): Submission => ({
  id: 'part 1',
  command: 'AT+CMGS=19',
  pdu: submittedPdu,
  beforePdu: async () => 'go',
  ...more,
})

export const submittedPdu = '0011000B914497111111110000AA05C8329BFD06'

/** A dialogue in which PDU and Ctrl-Z have just been written. */
export async function pduWritten(more: Partial<Submission> = {}) {
  const all = await dialogueInStep()
  const outcome = all.dialogue.submit(submission(more))
  all.modem.say('\r\n> ')
  await promisesSettled()
  if (all.modem.written.join('|') !== `AT+CMGS=19\r|${submittedPdu}\x1a`) {
    throw new Error(`not the command and its PDU: ${JSON.stringify(all.modem.written)}`)
  }
  return { ...all, outcome }
}

export function lateResults(events: readonly DialogueEvent[]): LateResult[] {
  return events.flatMap((event) => (event.kind === 'late-result' ? [event] : []))
}
