import { readFunctionality, selectFunctionality } from '../commands/functionality.ts'
import { ask, askIfKnown } from '../commands/query.ts'
import { Pause } from '../pause.ts'
import type { RadioTraits } from '../profiles/profile.ts'
import type { StartupContext } from './startup-context.ts'

/** Some programs, and some modems by themselves, leave the radio off. */
export async function switchRadioOn(context: StartupContext, radio: RadioTraits): Promise<void> {
  const functionality = await askIfKnown(context.dialogue, readFunctionality, context.cancellation)
  const on = functionality === undefined || functionality === fullFunctionality
  if (radio.switchOnAtStart === 'if-off' && on) return
  await ask(context.dialogue, selectFunctionality(fullFunctionality), context.cancellation)
  if (radio.settleMs === 0) return
  await new Pause(context.clock).wait(radio.settleMs, context.cancellation)
  await context.dialogue.resynchronise()
}

const fullFunctionality = 1
