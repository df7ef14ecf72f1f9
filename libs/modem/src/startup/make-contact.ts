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
    context.writeRaw(closeMultiplexer)
  }
  return undefined
}

// 27.010 §5.4.6.3.3, basic option: multiplexer close-down. Quectel modems stay in it when the program before crashed.
const closeMultiplexer = Uint8Array.of(0xf9, 0x03, 0xef, 0x05, 0xc3, 0x01, 0xf2, 0xf9)
