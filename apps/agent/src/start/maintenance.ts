import type { AgentInput } from '@smsgw/link/agent-state'
import type { Clock, Timer } from '@smsgw/modem/clock'
import type { KnownSettings } from './agent-settings.ts'
import type { AgentStore } from './agent-store.ts'
import type { Messaging } from './messaging.ts'

/** Watches the system clock and removes old journal entries, until the returned function is called. */
export function startMaintenance(
  clock: Clock,
  { time }: Messaging,
  { journal }: AgentStore,
  settings: () => KnownSettings,
  toLink: (input: AgentInput) => void,
): () => void {
  const clockWatch = new PeriodicTask(clock, clockWatchMs, () => time.watch())
  const pruning = new PeriodicTask(clock, pruningMs, async () => {
    time.look()
    // With an untrusted clock, nothing is removed by age.
    const { wallMs, trusted } = time.now()
    await journal.forget(trusted ? wallMs - keptMs : 0, reportedBeforeMs(settings(), trusted ? wallMs : 0))
    const { journalId, first } = await journal.read('marks', {})
    toLink({ kind: 'events-pruned', journalId, first })
  })
  return () => {
    clockWatch.stop()
    pruning.stop()
  }
}

/** Runs a task again and again, with a pause after each run. A failed run is tried again after the same pause. */
class PeriodicTask {
  #timer: Timer | undefined
  readonly #clock: Clock
  readonly #pauseMs: number
  readonly #task: () => unknown

  constructor(clock: Clock, pauseMs: number, task: () => unknown) {
    this.#clock = clock
    this.#pauseMs = pauseMs
    this.#task = task
    this.#schedule()
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #schedule(): void {
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
 * Message content that the relay has stored is kept here too, so that a relay restored from a backup gets it again.
 * `forget_after_seconds` limits how long.
 */
function reportedBeforeMs({ privacy }: KnownSettings, wallMs: number): number {
  const seconds = privacy['forget_after_seconds']
  if (typeof seconds !== 'number') return 0
  return seconds === 0 ? Number.MAX_SAFE_INTEGER : Math.max(0, wallMs - seconds * 1000)
}

/** Finished messages stay known for eight days, because networks and relays refer to them later. */
const keptMs = 8 * 24 * 60 * 60_000
const pruningMs = 60_000
const clockWatchMs = 2_000
