import { deviceHealth } from '@smsgw/contract/devices/device-health'
import type { AliasKey, EncryptionKey, SimCard } from '@smsgw/contract/link/event'
import { type DiskSpace, diskStatus } from '@smsgw/daemon/files/disk-space'
import type { Clock, Timer } from '@smsgw/modem/clock'
import type { IncomingCall } from '@smsgw/modem/receive/incoming-calls'
import type { Change } from '../journal/change.ts'
import type { ModemActor } from '../modems/modem-actor.ts'
import type { ModemFleet } from '../modems/modem-fleet.ts'
import { stateText } from '../modems/modem-health.ts'
import type { TrustedTime } from '../time/trusted-time.ts'
import { telemetrySample } from './telemetry.ts'

export interface DeviceReporterOptions {
  readonly keep: (changes: readonly Change[]) => Promise<void>
  readonly clock: Clock
  readonly time: TrustedTime
  readonly fleet: ModemFleet
  readonly version: string
  readonly onSims: (sims: readonly SimCard[]) => void
  readonly onTelemetry: (at: string, sample: Readonly<Record<string, unknown>>) => void
  readonly facts: () => ReportedFacts
  /** Returns undefined if the disk of the journal cannot be read. */
  readonly disk: () => DiskSpace | undefined
  /** Returns the alias of the caller's number, or the number itself if the account does not hide senders. */
  readonly shownNumber: (number: string) => string
}

interface CalledSim {
  readonly simNumber: number
  readonly phoneNumber: string | undefined
}

/** The state of the agent apart from its modems. */
export interface ReportedFacts {
  readonly platform: string
  readonly queue: { readonly open: number; readonly waiting: number; readonly inDoubt: number }
  readonly journal: { readonly sizeBytes: number; readonly fsyncMs: number }
}

/** Reports this device to the relay: its start, its SIMs, telemetry samples, pings and log lines. */
export class DeviceReporter {
  readonly #options: DeviceReporterOptions
  #reportedSims = '[]'
  #hasStarted = false
  #simsTimer: Timer | undefined
  #simsDueMs = Number.POSITIVE_INFINITY
  #sampleTimer: Timer | undefined
  #sampledMs = 0
  #isStopped = false
  #pingTimer: Timer | undefined
  #pingMs: number | undefined
  readonly #reportedStates = new Map<string, string>()

  constructor(options: DeviceReporterOptions) {
    this.#options = options
  }

  start(): void {
    this.#reportSimsWithin(startLimitMs)
    this.#sample()
  }

  stop(): void {
    this.#isStopped = true
    for (const timer of [this.#simsTimer, this.#sampleTimer, this.#pingTimer]) timer?.cancel()
  }

  modemChanged(modem: ModemActor): void {
    this.#logState(modem)
    // Waits a moment, because the state of a starting modem changes several times in a row. These changes are reported
    // together.
    this.#reportSimsWithin(settleMs)
  }

  /** Sends a sample at once, because the relay has no data about the modems of a device that has just connected. */
  connected(): void {
    this.#sampleIn(0)
  }

  /** Sets the interval of pings; undefined stops them. */
  pingEvery(pingMs: number | undefined): void {
    if (pingMs === this.#pingMs || this.#isStopped) return
    this.#pingMs = pingMs
    this.#pingTimer?.cancel()
    if (pingMs !== undefined) this.#schedulePing(pingMs)
  }

  /** Adds a line to the log of the account. */
  log(priority: 'INFO' | 'WARN' | 'ERROR', module: string, message: string): void {
    const event = { kind: 'logged' as const, at: this.#now(), module, priority, message: message.slice(0, 1000) }
    void this.#options.keep([{ kind: 'event', event }])
  }

  /** Reports a new encryption key. Resolves when the report is on disk. */
  keyReplaced(key: EncryptionKey): Promise<void> {
    const message = `encryption key replaced: version ${key.version} is in use, earlier versions decrypt for 30 days`
    const at = this.#now()
    return this.#options.keep([
      { kind: 'event', event: { kind: 'key-replaced', at, key } },
      { kind: 'event', event: { kind: 'logged', at, module: 'encryption', priority: 'INFO', message } },
    ])
  }

  /** Reports the key that decrypts the aliases in the following events. */
  aliasKeyChanged(key: AliasKey): void {
    void this.#options.keep([{ kind: 'event', event: { kind: 'alias-key-changed', at: this.#now(), key } }])
  }

  callReceived({ simNumber, phoneNumber }: CalledSim, { number }: IncomingCall): void {
    const event = {
      ...{ kind: 'call-received' as const, at: this.#now(), simNumber },
      ...(number !== undefined && { caller: this.#options.shownNumber(number) }),
      ...(phoneNumber !== undefined && { recipient: phoneNumber }),
    }
    void this.#options.keep([{ kind: 'event', event }])
  }

  /** Logs once that a modem is blocked, and once that it is ready again. */
  #logState({ address, health: { state } }: ModemActor): void {
    if (state.name !== 'blocked' && state.name !== 'ready') return
    const text = stateText(state)
    const before = this.#reportedStates.get(address)
    if (before === text) return
    this.#reportedStates.set(address, text)
    if (state.name === 'blocked') this.log('ERROR', 'modem', `${address}: ${text}`)
    else if (before !== undefined) this.log('INFO', 'modem', `${address}: ready again`)
  }

  /**
   * Does not postpone a report that is already planned, because a modem that changes continuously must not delay
   * reports about other modems.
   */
  #reportSimsWithin(ms: number): void {
    const { clock } = this.#options
    const atMs = clock.nowMs() + ms
    if (atMs >= this.#simsDueMs) return
    this.#simsTimer?.cancel()
    this.#simsDueMs = atMs
    this.#simsTimer = clock.after(ms, () => {
      this.#simsDueMs = Number.POSITIVE_INFINITY
      this.#reportSims()
      this.#sampleIn(Math.max(0, this.#sampledMs + leastSampleMs - clock.nowMs()))
    })
  }

  #reportSims(): void {
    const { fleet, onSims, keep, version } = this.#options
    const sims = [...fleet.simCards]
    onSims(sims)
    const at = this.#now()
    if (!this.#hasStarted) {
      this.#hasStarted = true
      this.#reportedSims = comparable(sims)
      void keep([{ kind: 'event', event: { kind: 'started', at, agentVersion: version, sims } }])
    } else if (comparable(sims) !== this.#reportedSims) {
      this.#reportedSims = comparable(sims)
      void keep([{ kind: 'event', event: { kind: 'sims-changed', at, sims } }])
    }
  }

  #sample(): void {
    const { clock, fleet, facts, onTelemetry } = this.#options
    this.#sampledMs = clock.nowMs()
    onTelemetry(this.#now(), { ...telemetrySample(fleet.health, facts()) })
    this.#sampleIn(sampleMs)
  }

  #sampleIn(pauseMs: number): void {
    if (this.#isStopped) return
    this.#sampleTimer?.cancel()
    this.#sampleTimer = this.#options.clock.after(pauseMs, () => this.#sample())
  }

  #schedulePing(pingMs: number): void {
    this.#pingTimer = this.#options.clock.after(pingMs, () => {
      const { fleet, facts, disk, keep, version } = this.#options
      const space = disk()
      const health = deviceHealth({
        ...facts(),
        version,
        simStates: fleet.simCards.map(({ state }) => state),
        disk: space && { status: diskStatus(space), freeBytes: space.freeBytes },
      })
      void keep([{ kind: 'event', event: { kind: 'pinged', at: this.#now(), health: { ...health } } }])
      this.#schedulePing(pingMs)
    })
  }

  #now(): string {
    const { time } = this.#options
    return time.local(time.now().wallMs)
  }
}

/** Leaves out the signal, because it changes constantly. The samples contain the signal. */
function comparable(sims: readonly SimCard[]): string {
  return JSON.stringify(sims.map(({ signal: _, ...sim }) => sim))
}

const settleMs = 200
const startLimitMs = 5_000
const sampleMs = 30_000
/** The shortest interval between two samples. The relay ignores samples at shorter intervals. */
const leastSampleMs = 15_500
