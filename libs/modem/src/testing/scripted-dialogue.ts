import type { AtCommand, AtOutcome } from '../dialogue/command.ts'
import { Dialogue, type DialogueEvent, type DialogueOptions } from '../dialogue/dialogue.ts'
import { deliverPdu } from './driven-modem.ts'
import { ManualClock } from './manual-clock.ts'
import { ScriptedModem } from './scripted-modem.ts'

/** A dialogue with a scripted modem, and all its events. Nothing has been written yet. */
export function scriptedDialogue(options: Partial<DialogueOptions> = {}) {
  const clock = new ManualClock()
  const modem = new ScriptedModem()
  const events: DialogueEvent[] = []
  const dialogue = new Dialogue({ port: modem, clock, onEvent: (event) => void events.push(event), ...options })
  return { clock, modem, events, dialogue }
}

/** A dialogue that is already in step; the bytes of the resynchronisation are discarded. */
export async function dialogueInStep(options: Partial<DialogueOptions> = {}) {
  const all = scriptedDialogue(options)
  const outcome = await all.dialogue.resynchronise()
  if (outcome.kind !== 'in-step' || outcome.attempts !== 1) throw new Error(`not in step: ${JSON.stringify(outcome)}`)
  all.modem.written.length = 0
  all.events.length = 0
  return all
}

export const testQuery = (name: string, more: Partial<AtCommand> = {}): AtCommand => ({
  text: `AT+${name}?`,
  prefixes: [`+${name}`],
  timeoutMs: 5_000,
  ...more,
})

/** The lines of an outcome as text, with each payload after a vertical bar. */
export function answerLines(outcome: AtOutcome): string[] {
  if (!('lines' in outcome)) return []
  return outcome.lines.map((line) => (line.payload === undefined ? line.text : `${line.text}|${line.payload}`))
}

/** Events as short text. */
export function shown(events: readonly DialogueEvent[]): string[] {
  return events.map(shownEvent)
}

function shownEvent(event: DialogueEvent): string {
  switch (event.kind) {
    case 'unsolicited':
      return event.payload === undefined ? event.text : `${event.text}|${event.payload}`
    case 'unknown':
    case 'stale':
      return `${event.kind} ${event.text}`
    case 'noise':
      return `noise ${event.length}`
    case 'late-result':
      return `late ${event.submission} ${event.outcome.kind}`
    case 'state':
      return `state ${event.state}`
  }
}

export function settledFlag(promise: Promise<unknown>): { done: boolean } {
  const flag = { done: false }
  promise.then(() => {
    flag.done = true
  })
  return flag
}

/** Like `deliverPdu`, with another last character. */
export const otherDeliverPdu = deliverPdu.replace(/07$/, '08')
