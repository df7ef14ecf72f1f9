import type { SimCard } from '@smsgw/contract/link/event'
import type { Clock, Timer } from '@smsgw/modem/clock'
import type { Change } from './journal/change.ts'
import type { ModemActor } from './modems/modem-actor.ts'
import type { ModemFleet } from './modems/modem-fleet.ts'
import { stateWords } from './modems/modem-health.ts'
import { telemetrySample } from './modems/telemetry.ts'
import type { TrustedTime } from './time/trusted-time.ts'

export interface ReporterParts {
  readonly keep: (changes: readonly Change[]) => Promise<void>
  readonly clock: Clock
  readonly time: TrustedTime
  readonly fleet: ModemFleet
  readonly version: string
  readonly onSims: (sims: readonly SimCard[]) => void
  readonly onTelemetry: (at: string, sample: Readonly<Record<string, unknown>>) => void
  readonly facts: () => AgentFacts
}

/** How the agent is, beside its modems. */
export interface AgentFacts {
  readonly platform: string
  readonly queue: { readonly open: number; readonly waiting: number; readonly inDoubt: number }
  readonly journal: { readonly sizeBytes: number; readonly fsyncMs: number }
}

/** Tells the relay how this agent is: when it started, its SIMs, its samples, a ping now and then, and what went wrong. */
export class Reporter {
  readonly #parts: ReporterParts
  #simsTold = '[]'
  #hasStarted = false
  #soon: Timer | undefined
  #soonAtMs = Number.POSITIVE_INFINITY
  #sampling: Timer | undefined
  #sampledMs = 0
  #isOver = false
  #pinging: Timer | undefined
  #pingMs: number | undefined
  readonly #statesTold = new Map<string, string>()

  constructor(parts: ReporterParts) {
    this.#parts = parts
  }

  start(): void {
    this.#tellSimsWithin(startLimitMs)
    this.#sample()
  }

  stop(): void {
    this.#isOver = true
    for (const timer of [this.#soon, this.#sampling, this.#pinging]) timer?.cancel()
  }

  modemChanged(modem: ModemActor): void {
    this.#tellState(modem)
    // Several things change at once when a modem starts: they are told together.
    this.#tellSimsWithin(settleMs)
  }

  /** A relay that has just welcomed it knows nothing of its modems yet. */
  connected(): void {
    this.#sampleIn(0)
  }

  /** Undefined: never. */
  pingEvery(pingMs: number | undefined): void {
    if (pingMs === this.#pingMs) return
    this.#pingMs = pingMs
    this.#pinging?.cancel()
    if (pingMs !== undefined) this.#pingLater(pingMs)
  }

  tell(priority: 'INFO' | 'WARN' | 'ERROR', module: string, message: string): void {
    const event = { kind: 'logged' as const, at: this.#now(), module, priority, message: message.slice(0, 1000) }
    void this.#parts.keep([{ kind: 'event', event }])
  }

  /** What stops a modem is worth a line in the account's log, once. */
  #tellState({ address, health: { state } }: ModemActor): void {
    if (state.name !== 'blocked' && state.name !== 'ready') return
    const words = stateWords(state)
    const before = this.#statesTold.get(address)
    if (before === words) return
    this.#statesTold.set(address, words)
    if (state.name === 'blocked') this.tell('ERROR', 'modem', `${address}: ${words}`)
    else if (before !== undefined) this.tell('INFO', 'modem', `${address}: it is ready again`)
  }

  /** Never later than was said before: one modem that changes all the time keeps nothing about the others back. */
  #tellSimsWithin(ms: number): void {
    const { clock } = this.#parts
    const atMs = clock.nowMs() + ms
    if (atMs >= this.#soonAtMs) return
    this.#soon?.cancel()
    this.#soonAtMs = atMs
    this.#soon = clock.after(ms, () => {
      this.#soonAtMs = Number.POSITIVE_INFINITY
      this.#tellSims()
      this.#sampleIn(Math.max(0, this.#sampledMs + leastSampleMs - clock.nowMs()))
    })
  }

  #tellSims(): void {
    const { fleet, onSims, keep, version } = this.#parts
    const sims = [...fleet.simCards]
    onSims(sims)
    const at = this.#now()
    if (!this.#hasStarted) {
      this.#hasStarted = true
      this.#simsTold = shown(sims)
      void keep([{ kind: 'event', event: { kind: 'started', at, agentVersion: version, sims } }])
    } else if (shown(sims) !== this.#simsTold) {
      this.#simsTold = shown(sims)
      void keep([{ kind: 'event', event: { kind: 'sims-changed', at, sims } }])
    }
  }

  #sample(): void {
    const { clock, fleet, facts, onTelemetry } = this.#parts
    this.#sampledMs = clock.nowMs()
    onTelemetry(this.#now(), { ...telemetrySample(fleet.health, facts()) })
    this.#sampleIn(sampleMs)
  }

  #sampleIn(pauseMs: number): void {
    if (this.#isOver) return
    this.#sampling?.cancel()
    this.#sampling = this.#parts.clock.after(pauseMs, () => this.#sample())
  }

  #pingLater(pingMs: number): void {
    this.#pinging = this.#parts.clock.after(pingMs, () => {
      const { fleet, facts, keep } = this.#parts
      const health = telemetrySample(fleet.health, facts())
      void keep([{ kind: 'event', event: { kind: 'pinged', at: this.#now(), health: { ...health } } }])
      this.#pingLater(pingMs)
    })
  }

  #now(): string {
    const { time } = this.#parts
    return time.local(time.now().wallMs)
  }
}

/** The signal changes all the time: it is in the samples. */
function shown(sims: readonly SimCard[]): string {
  return JSON.stringify(sims.map(({ signal: _, ...sim }) => sim))
}

const settleMs = 200
const startLimitMs = 5_000
const sampleMs = 30_000
/** What comes sooner after another one, the relay does not keep. */
const leastSampleMs = 15_500
