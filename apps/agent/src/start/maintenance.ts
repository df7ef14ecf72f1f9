import type { Clock, Timer } from '@smsgw/modem/clock'
import { trustedMs } from '../time/trusted-time.ts'
import type { AgentParts } from './agent-parts.ts'
import type { KnownSettings } from './agent-settings.ts'

/**
 * Watches the system clock and removes old journal entries and old encryption keys, until the returned function is
 * called.
 */
export function startMaintenance({ options, messaging, store, deviceKeys, settings, toLink }: AgentParts): () => void {
  const { clock } = options
  const { time } = messaging
  const { journal } = store
  const clockWatch = new PeriodicTask(clock, clockWatchMs, () => time.watch())
  const pruning = new PeriodicTask(clock, pruningMs, async () => {
    time.look()
    await journal.forget({ nowMs: trustedMs(time), recordsMs, contentMs: contentMs(settings.known) })
    const { wallMs, trusted } = time.now()
    if (trusted) deviceKeys.deleteOld(wallMs)
    const { journalId, first } = await journal.read('marks', {})
    toLink({ kind: 'events-pruned', journalId, first })
  })
  return () => {
    clockWatch.stop()
    pruning.stop()
  }
}

/** Runs a task repeatedly, with a pause after each run, even if the run failed. */
class PeriodicTask {
  #timer: Timer | undefined
  readonly #clock: Clock
  readonly #pauseMs: number
  readonly #task: () => unknown
  #isStopped = false

  constructor(clock: Clock, pauseMs: number, task: () => unknown) {
    this.#clock = clock
    this.#pauseMs = pauseMs
    this.#task = task
    this.#schedule()
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  #schedule(): void {
    if (this.#isStopped) return
    this.#timer = this.#clock.after(this.#pauseMs, () => {
      Promise.resolve()
        .then(this.#task)
        .then(
          () => this.#schedule(),
          () => this.#schedule(),
        )
    })
  }
}

/**
 * How long the agent keeps message content that the relay has stored. A relay that is restored from a backup gets this
 * content again. The setting `forget_after_seconds` limits how long the content is kept.
 */
function contentMs({ privacy }: KnownSettings): number | undefined {
  const seconds = privacy['forget_after_seconds']
  return typeof seconds === 'number' ? seconds * 1000 : undefined
}

/**
 * Records of finished messages are kept for eight days, because networks and relays may still refer to these messages.
 */
const recordsMs = 8 * 24 * 60 * 60_000
const pruningMs = 60_000
const clockWatchMs = 2_000
