import type { Log } from '@smsgw/daemon/log/log'
import { z } from 'zod'
import type { CoreDeps } from '../../core-deps.ts'
import type { WakeHint } from '../../hints/wake-hint.ts'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { TokenBuckets } from '../../limits/token-buckets.ts'
import type { AgentConnection } from '../../link/claim/agent-connection.ts'
import { findEndedConnections } from '../../link/claim/find-ended-connections-statement.ts'
import { LEASE_MS } from '../../link/claim/lease.ts'
import { renewLeases } from '../../link/claim/renew-leases-statement.ts'
import { everySecond } from '../../store/every-second.ts'
import { phoneOf } from '../authenticate-phone.ts'
import { markStreaming } from '../fcm/phone-push.ts'
import { findPhoneWork } from '../find-phone-work-statement.ts'
import { markUploadsRequested, readUploadRequests } from '../upload-requests.ts'
import { PhoneStream } from './phone-stream.ts'

export interface PhoneStreamsDeps extends Pick<CoreDeps, 'database' | 'clock' | 'logbook'> {
  readonly log: Pick<Log, 'warn'>
  readonly hints: { listen(listener: (hint: WakeHint) => boolean | undefined, onMissed: () => void): () => void }
}

/**
 * All phones that stream notices from this process. Hints report which phones have work. Work is also polled every
 * second, because hints may be lost and scheduled messages become due. The streams of deleted phones end. A phone is
 * online while its stream is open.
 */
export class PhoneStreams {
  readonly #deps: PhoneStreamsDeps
  readonly #byDevice = new Map<string, PhoneStream>()
  readonly #woken = new Set<string>()
  /**
   * The number of streams that were replaced. Two phones with the same token replace each other's stream every few
   * seconds.
   */
  readonly #replacements = new TokenBuckets({ capacity: 20, refillMs: 60_000, keys: 10_000 })
  readonly #warnings = new TokenBuckets({ capacity: 1, refillMs: 3_600_000, keys: 10_000 })
  readonly #stopListening: () => void
  readonly #stopPolling: () => void
  readonly #renewing: NodeJS.Timeout
  #isFinding = false
  #isClosingEnded = false
  #isRenewing = false

  constructor(deps: PhoneStreamsDeps) {
    this.#deps = deps
    this.#stopListening = deps.hints.listen(
      (hint) => this.#onHint(hint),
      () => void this.#find(),
    )
    this.#stopPolling = everySecond(() => {
      void this.#find()
      void this.#closeEnded()
    })
    this.#renewing = setInterval(() => void this.#renew(), LEASE_MS / 3).unref()
  }

  get count(): number {
    return this.#byDevice.size
  }

  /** Opens the stream of a phone. An older stream of the phone ends, because the phone has lost it. */
  open(connection: AgentConnection): PhoneStream {
    const { deviceId } = connection
    const stream = new PhoneStream({
      connection,
      onEnd: (ended) => {
        if (this.#byDevice.get(deviceId) === ended) this.#byDevice.delete(deviceId)
      },
    })
    const older = this.#byDevice.get(deviceId)
    this.#byDevice.set(deviceId, stream)
    if (older?.isOpen === true) this.#onReplaced(connection)
    older?.end()
    return stream
  }

  #onReplaced({ accountId, deviceId }: AgentConnection): void {
    const nowMs = this.#deps.clock.now().getTime()
    if (this.#replacements.take(deviceId, nowMs) === 0 || this.#warnings.take(deviceId, nowMs) > 0) return
    this.#deps.logbook.write({
      ...{ accountId, deviceId, module: 'devices', priority: 'WARN' },
      message:
        'two phones seem to use the token of this device, so both may send its messages: delete the device and register each phone',
    })
  }

  close(): void {
    this.#stopListening()
    this.#stopPolling()
    clearInterval(this.#renewing)
    for (const stream of [...this.#byDevice.values()]) stream.end()
  }

  /**
   * Handles a hint. Returns nothing, so that other relays also get the hint, because they may have streams of the same
   * phone.
   */
  #onHint(hint: WakeHint): undefined {
    switch (hint.kind) {
      case 'wake':
        if (!this.#byDevice.has(hint.deviceId)) return undefined
        this.#woken.add(hint.deviceId)
        void this.#find()
        return undefined
      case 'device-revoked':
        this.#byDevice.get(hint.deviceId)?.end()
        return undefined
      case 'settings-changed':
        for (const stream of this.#byDevice.values())
          if (stream.connection.accountId === hint.accountId) stream.notify({ event: 'SettingsUpdated' })
        return undefined
      default:
        return undefined
    }
  }

  async #find(): Promise<void> {
    if (this.#isFinding || this.#byDevice.size === 0) return
    this.#isFinding = true
    try {
      do {
        const woken = new Set(this.#woken)
        this.#woken.clear()
        const deviceIds = [...this.#byDevice.keys()]
        await this.#showWork(deviceIds, woken)
      } while (this.#woken.size > 0)
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'could not read pending work for phones: database unavailable, retrying')
    } finally {
      this.#isFinding = false
    }
  }

  async #showWork(deviceIds: readonly string[], woken: ReadonlySet<string>): Promise<void> {
    const { database, clock } = this.#deps
    const found = await findPhoneWork(database, deviceIds, clock.now())
    const work = new Map(found.map((one) => [one.deviceId, one]))
    const nowMs = performance.now()
    for (const deviceId of deviceIds) this.#byDevice.get(deviceId)?.show(work.get(deviceId), nowMs, woken.has(deviceId))
    for (const { deviceId, sweeps } of found) if (sweeps.length > 0) await this.#requestUpload(deviceId, sweeps)
  }

  /** Asks the phone to upload its received messages. */
  async #requestUpload(deviceId: string, cmdIds: readonly string[]): Promise<void> {
    const { database, clock } = this.#deps
    const stream = this.#byDevice.get(deviceId)
    if (stream?.isOpen !== true) return
    const now = clock.now()
    const { accountId } = stream.connection
    const requests = { accountId, cmdIds, now }
    for (const notice of await readUploadRequests(database, requests)) stream.notify(notice)
    // Keeps the notices if the stream has ended, so that they are repeated when the phone connects again.
    if (!stream.isOpen) return
    await markUploadsRequested(database, requests)
  }

  /** Ends the streams of phones that were deleted or registered again, because the hint may be lost. */
  async #closeEnded(): Promise<void> {
    if (this.#isClosingEnded || this.#byDevice.size === 0) return
    this.#isClosingEnded = true
    try {
      const connections = [...this.#byDevice.values()].map(({ connection }) => connection)
      for (const { deviceId, connEpoch } of await findEndedConnections(this.#deps.database, connections)) {
        const stream = this.#byDevice.get(deviceId)
        if (stream?.connection.connEpoch === connEpoch) stream.end()
      }
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'could not check for deleted phones: database unavailable, retrying')
    } finally {
      this.#isClosingEnded = false
    }
  }

  /** Renews the leases, and ends the streams of phones whose lease was lost. */
  async #renew(): Promise<void> {
    if (this.#isRenewing || this.#byDevice.size === 0) return
    this.#isRenewing = true
    try {
      const { database, clock } = this.#deps
      const streams = [...this.#byDevice.values()]
      const connections = streams.map(({ connection }) => connection)
      const now = clock.now()
      const lost = new Set(await renewLeases(database, connections, { leaseMs: LEASE_MS, now }))
      for (const stream of streams) if (lost.has(stream.connection)) stream.end()
      const deviceIds = connections.filter((one) => !lost.has(one)).map(({ deviceId }) => deviceId)
      await markStreaming(database, deviceIds, now)
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'could not renew the leases of phones: database unavailable, retrying')
    } finally {
      this.#isRenewing = false
    }
  }
}

/** Streams notices to a phone, which then needs no push service. */
export function streamNotices({
  streams,
  database,
  clock,
}: Pick<CoreDeps, 'database' | 'clock'> & { readonly streams: PhoneStreams }): Endpoint {
  return endpoint({
    answers: { 200: z.string() },
    mediaType: 'text/event-stream',
    async handle({ principal }) {
      const phone = phoneOf(principal)
      await markStreaming(database, [phone.deviceId], clock.now())
      const stream = streams.open(phone)
      return { status: 200, stream, headers: { 'x-accel-buffering': 'no' } }
    },
  })
}
