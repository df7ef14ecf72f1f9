import { Modem } from '../../modem.ts'
import type { ModemEvent } from '../../modem-event.ts'
import type { Submitted } from '../../send/submit.ts'
import type { Shortcoming, StartupOutcome } from '../../setup/startup.ts'
import { deliverPdu, submitPdu } from '../driven-modem.ts'
import { ManualClock } from '../manual-clock.ts'
import { type ForeignModem, ForeignPort, type Habits, type Refusal } from './foreign-modem.ts'

export interface Trial {
  readonly modem: ForeignModem
  readonly outcome: StartupOutcome
  readonly shortcomings: readonly Shortcoming[]
  readonly submitted: Submitted
  /** The number of times that the message was reported. */
  readonly received: number
  readonly events: readonly ModemEvent[]
  readonly readyAfterMs: number | undefined
}

/** Sets a modem up, sends one message through the modem, and receives and deletes one message. */
export async function tryModem(
  create: (clock: ManualClock) => ForeignModem,
  refused: Readonly<Record<string, Refusal>> = {},
  habits: Habits = {},
): Promise<Trial> {
  const clock = new ManualClock()
  const events: ModemEvent[] = []
  const foreign = create(clock)
  const port = new ForeignPort(foreign, clock, refused, habits)
  let readyAfterMs: number | undefined
  const modem: Modem = new Modem({
    port,
    clock,
    onEvent: (event) => {
      events.push(event)
      if (event.kind === 'state' && event.state.name === 'ready') readyAfterMs ??= clock.nowMs()
      if (event.kind !== 'incoming' || event.incoming.source.kind !== 'stored') return
      const { source, pdu } = event.incoming
      const remove = async (): Promise<void> => {
        const { kind } = await modem.deleteMessage(source, pdu)
        if (kind === 'failed' || kind === 'deferred') clock.after(5000, () => void remove())
      }
      void remove()
    },
  })
  const passing = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false
    const watched = promise.finally(() => {
      isSettled = true
    })
    for (let seconds = 0; seconds < 1200 && !isSettled; seconds += 1) await clock.advance(1000)
    if (!isSettled) throw new Error('still pending after 20 minutes')
    return watched
  }
  const outcome = await passing(modem.start())
  for (let seconds = 0; seconds < 120 && readyAfterMs === undefined; seconds += 1) await clock.advance(1000)
  const submitted = await passing(modem.submit(submitPdu, { id: 'a', beforePdu: async () => 'go' }))
  foreign.deliver(deliverPdu)
  for (let seconds = 0; seconds < 300 && foreign.stored > 0; seconds += 1) await clock.advance(1000)
  await clock.advance(120_000)
  modem.stop()
  return {
    modem: foreign,
    outcome,
    shortcomings: outcome.kind === 'started' ? outcome.session.shortcomings : [],
    submitted,
    received: events.filter((event) => event.kind === 'incoming').length,
    events,
    readyAfterMs,
  }
}
