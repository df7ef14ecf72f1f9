import type { StartupContext } from './startup-context.ts'
import { type StartupFailure, startupFailure } from './startup-failure.ts'

/** Until the modem answers: ESC and AT, as often as one that boots, or finds out its speed, needs it. */
export async function makeContact(context: StartupContext): Promise<StartupFailure | undefined> {
  const until = context.clock.nowMs() + context.options.contactLimitMs
  let heard = false
  for (;;) {
    const outcome = await context.dialogue.resynchronise()
    if (outcome.kind === 'closed') return startupFailure('port-lost')
    if (outcome.kind === 'in-step') break
    heard ||= outcome.heard
    if (context.cancellation.cancelled || context.clock.nowMs() >= until) {
      return startupFailure(heard ? 'garbled' : 'no-answer')
    }
    context.dialogue.writeRaw(closeMultiplexer)
  }
  return undefined
}

// 27.010 §5.4.6.3.3, basic option: multiplexer close-down. Quectel modems stay in it when the program before crashed.
const closeMultiplexer = '\xf9\x03\xef\x05\xc3\x01\xf2\xf9'
