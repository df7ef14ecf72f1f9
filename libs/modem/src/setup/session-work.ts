import type { Cancellation } from '../cancellation.ts'
import type { Clock } from '../clock.ts'
import { type Memory, type MemoryUsage, selectMemories } from '../commands/messages/message-storage.ts'
import { bestSignal } from '../commands/network/signal.ts'
import { runQuery } from '../commands/query.ts'
import { UssdSession } from '../commands/ussd/ussd-session.ts'
import type { Dialogue } from '../dialogue/dialogue.ts'
import type { ModemEvent } from '../modem-event.ts'
import type { ModemDefaults } from '../modem-options.ts'
import { MessageSlots } from '../receive/message-slots.ts'
import type { MessageReceiver } from '../receive/receive.ts'
import type { RegistrationWatch } from './registration-watch.ts'
import type { ModemSession } from './startup.ts'

/** What the background tasks of a session need. */
export interface SessionWork {
  readonly session: ModemSession
  readonly sameSim: boolean
  readonly cancellation: Cancellation
  readonly dialogue: Dialogue
  readonly clock: Clock
  readonly options: ModemDefaults
  readonly receiver: MessageReceiver
  readonly registration: RegistrationWatch
  readonly onUsage: (memory: Memory, usage: MemoryUsage) => void
  /** Called if the modem refused `AT+CPMS=` during setup and now accepts it. */
  readonly onMemorySelectable: () => void
  readonly onEvent: (event: ModemEvent) => void
}

export function beginSessionWork(work: SessionWork): UssdSession {
  const { session, cancellation, dialogue, clock, options, receiver, onEvent } = work
  const { profile, messages } = session
  const slots = new MessageSlots({
    executor: dialogue,
    clock,
    traits: profile.storage,
    memorySelectable: messages.memorySelectable,
    isShared: options.isShared,
    cancellation,
    onUsage: work.onUsage,
  })
  const { memories, acknowledges } = messages
  const onlyMemory = messages.memorySelectable ? undefined : memories[0]
  const { listingHangs, deletingDeletesSiblings } = profile.storage
  receiver.attach({ slots, memories, onlyMemory, acknowledges, listingHangs, deletingDeletesSiblings }, work.sameSim)
  receiver.sweepSoon('thorough')
  if (onlyMemory !== undefined) {
    repeat(
      clock,
      cancellation,
      () => memoryRetryMs,
      async () => {
        const answer = await runQuery(dialogue, selectMemories(onlyMemory), cancellation)
        if (answer.kind === 'value' && !cancellation.cancelled) work.onMemorySelectable()
      },
    )
  }
  startPolling({
    clock,
    cancellation,
    timing: options,
    sweepMs: messages.indications === undefined ? sweepWithoutIndicationsMs : options.sweepMs,
    isRegistered: () => work.registration.registered,
    pollRegistration: () => work.registration.poll(dialogue, session.registrationDomains, cancellation),
    sweep: () => receiver.sweepSoon('usual'),
    measureSignal: async () => {
      const signal = await bestSignal((query) => runQuery(dialogue, query, cancellation))
      if (signal && !cancellation.cancelled) onEvent({ kind: 'signal', signal })
    },
  })
  return new UssdSession({
    executor: dialogue,
    clock,
    cancellation,
    encodings: profile.ussdEncodings,
    answerLimitMs: ussdAnswerLimitMs,
    onNews: (answer) => onEvent({ kind: 'ussd', answer }),
  })
}

const registrationPollMs = 5_000
/**
 * If the memories cannot be selected, the driver tries again at this interval, because they may contain messages. The
 * interval is long, because each success causes another setup.
 */
const memoryRetryMs = 300_000
const sweepWithoutIndicationsMs = 5_000
const ussdAnswerLimitMs = 120_000

/** The background tasks while a modem is set up. */
export interface Polling {
  readonly clock: Clock
  readonly cancellation: Cancellation
  readonly timing: { readonly registeredPollMs: number; readonly signalMs: number }
  readonly sweepMs: number
  readonly isRegistered: () => boolean
  readonly pollRegistration: () => Promise<void>
  readonly sweep: () => void
  readonly measureSignal: () => Promise<void>
}

/**
 * Reads registration, memories and signal regularly, because unsolicited codes about them may get lost. Sending does
 * not depend on these reads.
 */
function startPolling(polling: Polling): void {
  const { clock, cancellation, timing } = polling
  const registrationPauseMs = () => (polling.isRegistered() ? timing.registeredPollMs : registrationPollMs)
  void polling.pollRegistration()
  repeat(clock, cancellation, registrationPauseMs, polling.pollRegistration)
  repeat(
    clock,
    cancellation,
    () => polling.sweepMs,
    async () => polling.sweep(),
  )
  void polling.measureSignal()
  repeat(clock, cancellation, () => timing.signalMs, polling.measureSignal)
}

/** Repeats the work until cancelled. The pause after each run is computed again. */
function repeat(clock: Clock, cancellation: Cancellation, pauseMs: () => number, work: () => Promise<unknown>): void {
  const next = () => {
    if (cancellation.cancelled) return
    const timer = clock.after(pauseMs(), () => {
      stopListening()
      if (!cancellation.cancelled) void work().then(next)
    })
    const stopListening = cancellation.onCancelled(() => timer.cancel())
  }
  next()
}
