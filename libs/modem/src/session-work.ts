import type { Cancellation } from './cancellation.ts'
import type { Clock } from './clock.ts'
import type { Memory, MemoryUsage } from './commands/message-storage.ts'
import { ask } from './commands/query.ts'
import { bestSignal } from './commands/signal.ts'
import type { Dialogue } from './dialogue.ts'
import { MessageSlots } from './message-slots.ts'
import type { ModemEvent } from './modem-event.ts'
import type { ModemDefaults } from './modem-options.ts'
import type { Receiver } from './receive.ts'
import type { RegistrationWatch } from './registration-watch.ts'
import type { Session } from './startup.ts'
import { keepLooking } from './upkeep.ts'
import { UssdSession } from './ussd-session.ts'

/** What a session sets to work, and what ends with it. */
export interface SessionWork {
  readonly session: Session
  readonly sameSim: boolean
  readonly cancellation: Cancellation
  readonly dialogue: Dialogue
  readonly clock: Clock
  readonly options: ModemDefaults
  readonly receiver: Receiver
  readonly registration: RegistrationWatch
  readonly onUsage: (memory: Memory, usage: MemoryUsage) => void
  readonly onEvent: (event: ModemEvent) => void
}

export function beginSession(work: SessionWork): UssdSession {
  const { session, cancellation, dialogue, clock, options, receiver, onEvent } = work
  const { profile, messages } = session
  const slots = new MessageSlots({
    executor: dialogue,
    clock,
    traits: profile.storage,
    cancellation,
    onUsage: work.onUsage,
  })
  const { memories, acknowledges } = messages
  const { listingHangs, deletingDeletesSiblings } = profile.storage
  receiver.attach({ slots, memories, acknowledges, listingHangs, deletingDeletesSiblings }, work.sameSim)
  receiver.sweepSoon('thorough')
  keepLooking({
    clock,
    cancellation,
    timing: options,
    sweepMs: messages.indications === undefined ? options.sweepWithoutIndicationsMs : options.sweepMs,
    isRegistered: () => work.registration.registered,
    lookAtRegistration: () => work.registration.look(dialogue, session.registrationDomains, cancellation),
    sweep: () => receiver.sweepSoon('usual'),
    measureSignal: async () => {
      const signal = await bestSignal((query) => ask(dialogue, query, cancellation))
      if (signal && !cancellation.cancelled) onEvent({ kind: 'signal', signal })
    },
  })
  return new UssdSession({
    executor: dialogue,
    clock,
    cancellation,
    encodings: profile.ussdEncodings,
    answerLimitMs: options.ussdAnswerLimitMs,
    onNews: (answer) => onEvent({ kind: 'ussd', answer }),
  })
}
