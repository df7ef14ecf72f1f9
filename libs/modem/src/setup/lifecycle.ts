import { Cancellation } from '../cancellation.ts'
import type { Clock, Timer } from '../clock.ts'
import { readMessageIndications } from '../commands/messages/message-indications.ts'
import { readMessageFormat, selectPduMode } from '../commands/messages/message-settings.ts'
import { askIfKnown, runQuery } from '../commands/query.ts'
import { pinStateIn } from '../commands/sim/sim-pin.ts'
import type { Dialogue } from '../dialogue/dialogue.ts'
import { Pause } from '../pause.ts'
import type { Profile } from '../profiles/profile.ts'
import type { ResponseLine } from '../wire/response-line.ts'
import type { PinMemory } from './pin-memory.ts'
import { type ModemSession, type StartupOutcome, startUp } from './startup.ts'
import type { StartupOptions, StartupStage } from './startup-context.ts'
import { type StartupFailure, silentFailures } from './startup-failure.ts'

/**
 * Keeps a modem set up. States: `idle` → `setting-up` → `set-up`, or `failed`, which is retried later. A modem that
 * restarts repeatedly waits in `settling` before it is set up again.
 *
 * A line that only a starting modem sends leads back to `setting-up`. A removed SIM also leads back to `setting-up`. A
 * line that may have another cause (the SIM became ready, the radio was switched on) leads to `checking` first: the
 * answers to two questions show whether the settings are intact. All tasks of the old session are cancelled before the
 * next write.
 */
export class Lifecycle {
  readonly #options: LifecycleOptions
  readonly #pause: Pause
  readonly #pace = new RestartPace()
  #state: 'idle' | 'setting-up' | 'checking' | 'set-up' | 'failed' | 'settling' = 'idle'
  #stage: StartupStage = 'probing'
  #session: ModemSession | undefined
  #cancellation = new Cancellation()
  #retry: Timer | undefined
  #checkWanted = false
  #checkedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: LifecycleOptions) {
    this.#options = options
    this.#pause = new Pause(options.clock, shortestPauseMs)
  }

  get session(): ModemSession | undefined {
    return this.#session
  }

  /** Sets the modem up from the beginning, in any state. */
  async setUp(): Promise<StartupOutcome> {
    this.#abandon()
    const cancellation = new Cancellation()
    this.#cancellation = cancellation
    this.#state = 'setting-up'
    this.#checkWanted = false
    const { dialogue, clock, startup, pinMemory, onStage, onProfile, onSetUp, onFailed } = this.#options
    const outcome = await startUp({
      dialogue,
      clock,
      cancellation,
      pause: this.#pause,
      options: startup(),
      pinMemory,
      onStage: (stage) => {
        if (cancellation.cancelled) return
        this.#stage = stage
        onStage(stage)
      },
      onProfile,
    })
    if (cancellation.cancelled) return { kind: 'cancelled' }
    if (outcome.kind === 'failed') {
      this.#state = 'failed'
      this.#checkedAtMs = clock.nowMs()
      onFailed(outcome.failure)
      if (silentFailures.has(outcome.failure.reason)) this.#setUpWhenAnswering(cancellation)
      else if (outcome.failure.reason !== 'port-lost') {
        this.#retry = clock.after(retryMs, () => void this.setUp())
      }
    } else if (outcome.kind === 'started') {
      this.#state = 'set-up'
      this.#session = outcome.session
      this.#checkedAtMs = clock.nowMs()
      onSetUp(outcome.session, cancellation)
      if (this.#checkWanted) void this.#check()
    }
    return outcome
  }

  /**
   * Checks every few seconds whether a silent modem answers, without reporting each attempt. Setup is repeated after
   * the usual retry delay at the latest, as for any other modem.
   */
  #setUpWhenAnswering(cancellation: Cancellation): void {
    const { clock, dialogue } = this.#options
    this.#retry = clock.after(silentRetryMs, async () => {
      const outcome = await dialogue.resynchronise()
      if (cancellation.cancelled || outcome.kind === 'closed') return
      const isDue = clock.nowMs() - this.#checkedAtMs >= retryMs
      if (outcome.kind === 'in-step' || isDue) void this.setUp()
      else this.#setUpWhenAnswering(cancellation)
    })
  }

  /** Ends the session. Setup is not started again automatically. */
  stop(): void {
    this.#abandon()
    this.#state = 'idle'
  }

  /** Must be called before a reset: a modem that answers before it has restarted must not be set up. */
  stopRetrying(): void {
    if (this.#state !== 'failed') return
    this.#retry?.cancel()
    this.#cancellation.cancel()
  }

  /** Handles an unsolicited code. `restart`: how certain it is that the code means a restart. */
  handle(line: ResponseLine, restart: 'certain' | 'likely' | undefined): void {
    if (this.#state === 'idle') return
    if (restart !== undefined || line.prefix === '+CPIN') this.#pause.wake()
    const simState = line.prefix === '+CPIN' ? pinStateIn(line) : undefined
    const simNotReady = simState !== undefined && simState !== 'ready'
    if (restart === 'certain') this.#restartedFor(line.text)
    else if (simNotReady && this.#session !== undefined) this.#restartedFor(line.text)
    else if (restart === 'likely') this.#maybeRestarted()
  }

  /** Checks the settings, because they may have been lost. */
  suspect(): void {
    if (this.#state === 'set-up') void this.#check()
  }

  #restartedFor(sign: string): void {
    // Ignores the code: setup has not changed a setting yet, so no setting is lost.
    if ((this.#state === 'setting-up' && this.#stage === 'probing') || this.#state === 'settling') return
    this.#options.onRestarted(sign)
    const pauseMs = this.#pace.pauseMs(this.#options.clock.nowMs())
    if (pauseMs === 0) void this.setUp()
    else this.#setUpLater(pauseMs)
  }

  #setUpLater(pauseMs: number): void {
    this.#abandon()
    this.#state = 'settling'
    this.#options.onStage('probing')
    this.#retry = this.#options.clock.after(pauseMs, () => void this.setUp())
  }

  #maybeRestarted(): void {
    switch (this.#state) {
      case 'failed':
        if (this.#options.clock.nowMs() - this.#checkedAtMs >= fastestRestartMs) void this.setUp()
        break
      case 'setting-up':
      case 'checking':
        this.#checkWanted = true
        break
      case 'set-up':
        // A modem does not restart within a second after its settings were found intact.
        if (this.#options.clock.nowMs() - this.#checkedAtMs >= fastestRestartMs) void this.#check()
        break
      case 'settling':
      case 'idle':
    }
  }

  async #check(): Promise<void> {
    const session = this.#session
    const cancellation = this.#cancellation
    if (session === undefined) return
    this.#state = 'checking'
    this.#checkWanted = false
    this.#options.onChecking(true)
    const intact = await this.#isIntact(session, cancellation)
    if (cancellation.cancelled) return
    if (!intact) {
      this.#options.onRestarted('the modem has lost its settings')
      void this.setUp()
      return
    }
    this.#state = 'set-up'
    this.#checkedAtMs = this.#options.clock.nowMs()
    this.#options.onChecking(false)
  }

  async #isIntact(session: ModemSession, cancellation: Cancellation): Promise<boolean> {
    const { dialogue } = this.#options
    const format = await runQuery(dialogue, readMessageFormat, cancellation)
    // A modem may refuse the query and still accept the setting.
    const restored =
      format.kind === 'refused' && (await runQuery(dialogue, selectPduMode, cancellation)).kind === 'value'
    if (!restored && !(format.kind === 'value' && format.value === 'pdu')) return false
    const wanted = session.messages.indicationsReadBack
    const found = await askIfKnown(dialogue, readMessageIndications, cancellation)
    if (wanted === undefined || found === undefined) return true
    return found.mode === wanted.mode && found.messages === wanted.messages && found.reports === wanted.reports
  }

  #abandon(): void {
    this.#retry?.cancel()
    this.#session = undefined
    this.#options.onAbandoned()
    this.#cancellation.cancel()
  }
}

/** The delay before setup is retried after a failed setup. */
const retryMs = 60_000
/** The pause between two questions to a modem that does not answer. */
const silentRetryMs = 2000
const fastestRestartMs = 1000
// The shortest pause between two checks of the SIM. A report of the SIM state ends a longer pause early, but never
// before this time, even if the modem sends many reports.
const shortestPauseMs = 100

export interface LifecycleOptions {
  readonly dialogue: Dialogue
  readonly clock: Clock
  readonly startup: () => StartupOptions
  readonly pinMemory: PinMemory
  readonly onStage: (stage: StartupStage) => void
  readonly onProfile: (profile: Profile) => void
  /** `cancellation` is cancelled when the session ends, so all work of the session must listen to it. */
  readonly onSetUp: (session: ModemSession, cancellation: Cancellation) => void
  readonly onFailed: (failure: StartupFailure) => void
  readonly onRestarted: (sign: string) => void
  /** Called with true while the settings are being checked. Meanwhile no message may be sent. */
  readonly onChecking: (checking: boolean) => void
  /** Called when a session has ended, before its tasks are cancelled. */
  readonly onAbandoned: () => void
}

/**
 * The delay before a modem that reports a restart is set up again. The first restarts cause no delay. Repeated restarts
 * mean that the modem crashes during setup or reports restarts that did not occur. The delay therefore grows with each
 * restart until no restart has occurred for a while.
 */
export class RestartPace {
  #restarts = 0
  #lastAtMs = Number.NEGATIVE_INFINITY

  /** Must be called once per restart. */
  pauseMs(nowMs: number): number {
    this.#restarts = nowMs - this.#lastAtMs < quietMs ? this.#restarts + 1 : 1
    const pauseMs =
      this.#restarts <= usualRestarts ? 0 : Math.min(longestPauseMs, 1000 * 2 ** (this.#restarts - usualRestarts - 1))
    this.#lastAtMs = nowMs + pauseMs
    return pauseMs
  }
}

// The number of restarts without a delay. Some modems report one start twice, and a modem may be plugged in several
// times in a row.
const usualRestarts = 3
const quietMs = 60_000
const longestPauseMs = 60_000
