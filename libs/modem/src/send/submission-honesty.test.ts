import fc from 'fast-check'
import { expect, test } from 'vitest'
import { promisesSettled } from '../testing/manual-clock.ts'
import { dialogueInStep } from '../testing/scripted-dialogue.ts'
import type { ScriptedModem } from '../testing/scripted-modem.ts'
import { lateResults, submission } from '../testing/scripted-submission.ts'
import type { SubmissionOutcome } from './submission.ts'

test('no schedule with a truthful modem gives a false outcome', async () => {
  const step = fc.record({
    waitMs: fc.constantFrom(0, 0, 10, 3_000, 11_000, 121_000),
    says: fc.constantFrom<Saying[]>(
      'prompt',
      'reference',
      'ok',
      'refusal',
      'ambiguous',
      'news',
      'restart',
      'nothing',
      'lost',
    ),
  })
  const outcomes = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 8 }),
      fc.constantFrom('go', 'abort', 'late'),
      async (steps, decision) => {
        const { dialogue, modem, clock, events } = await dialogueInStep()
        modem.reply = () => ''
        const truth = truthful(modem)
        const beforePdu = async () => {
          if (decision === 'late') await new Promise<void>((resolve) => void clock.after(6_000, resolve))
          return decision === 'abort' ? ('abort' as const) : ('go' as const)
        }
        let outcome: SubmissionOutcome | undefined
        dialogue.submit(submission({ beforePdu })).then((value) => {
          outcome = value
        })
        for (const { waitMs, says } of [{ waitMs: 0, says: 'prompt' } as const, ...steps]) {
          await clock.advance(waitMs)
          truth.say(says)
          await promisesSettled()
        }
        await clock.advance(200_000)
        expect(isHonest(outcome, truth)).toBe(true)
        for (const late of lateResults(events)) {
          expect(late.outcome.kind === 'accepted' ? truth.said.reference : truth.said.refusal).toBe(true)
        }
        const kind = `${outcome?.kind}${lateResults(events).length > 0 ? ', then late' : ''}`
        outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1)
      },
    ),
    { numRuns: 1000 },
  )
  // The test is only meaningful if every outcome occurs.
  for (const kind of ['accepted', 'refused', 'not-sent', 'unknown', 'unknown, then late']) {
    expect(outcomes.get(kind), kind).toBeGreaterThan(5)
  }
})

type Saying = 'prompt' | 'reference' | 'ok' | 'refusal' | 'ambiguous' | 'news' | 'restart' | 'nothing' | 'lost'

/**
 * Makes the modem send the output that the schedule requests. A clear result is sent only once, and only after the
 * modem has received a PDU.
 */
function truthful(modem: ScriptedModem) {
  const said = { reference: false, refusal: false }
  const wroteCtrlZ = () => modem.written.some((text) => text.includes('\x1a'))
  const anyTime: Partial<Record<Saying, string>> = {
    prompt: '\r\n> ',
    news: '\r\n+CMTI: "SM",1\r\n',
    restart: '\r\nRDY\r\n',
  }
  const withPdu: Partial<Record<Saying, string>> = { ok: '\r\nOK\r\n', ambiguous: '\r\n+CMS ERROR: 500\r\n' }
  const clearly = { reference: '\r\n+CMGS: 9\r\n', refusal: '\r\n+CMS ERROR: 38\r\n' }
  const say = (saying: Saying) => {
    if (saying === 'lost') modem.lose()
    const isClear = saying === 'reference' || saying === 'refusal'
    if (isClear && wroteCtrlZ() && !said.reference && !said.refusal) {
      said[saying] = true
      modem.say(clearly[saying])
    }
    modem.say(anyTime[saying] ?? (wroteCtrlZ() ? withPdu[saying] : undefined) ?? '')
  }
  return { said, wroteCtrlZ, say }
}

/** Returns true if the outcome claims no more than the modem reported. */
function isHonest(outcome: SubmissionOutcome | undefined, { said, wroteCtrlZ }: ReturnType<typeof truthful>): boolean {
  switch (outcome?.kind) {
    case 'accepted':
      return said.reference
    case 'refused':
      return outcome.pduWritten ? said.refusal : !wroteCtrlZ()
    case 'not-sent':
      return !wroteCtrlZ()
    case 'unknown':
      return wroteCtrlZ()
    case undefined:
      return false
  }
}
