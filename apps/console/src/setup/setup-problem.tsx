import type { ModemAnswer } from '@smsgw/contract/devices/device'
import { ModemProblem } from '../devices/modem-card.tsx'
import { simStateWords } from '../devices/sim-state-words.ts'
import { NoteBox } from '../ui/problem-note.tsx'

/** The problem of a modem, or the state of its SIM while the agent has not yet reported the problem. */
export function SetupProblem({
  modem: { lastError, lastErrorCode },
  simState,
}: {
  readonly modem: ModemAnswer
  readonly simState: string
}) {
  if (lastError !== undefined) return <ModemProblem text={lastError} code={lastErrorCode} />
  return (
    <NoteBox tone="warn">
      <p>{simStateWords(simState)}</p>
    </NoteBox>
  )
}
